/** Reads of a connection cut a stream anywhere: what the caller receives and pays must not depend on it. */
import { describe, expect } from '@jest/globals';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { SPLIT_CASES, trySplits } from '../../testing/completions/split-streams.ts';

/** The splits of each provider's streams in each format. A plain run tries 200, and `npm run bench -- splits` 10,000. */
const SPLITS = rounds(400);

describe.each(SPLIT_CASES)('a stream of $protocol in the format of $name', (splitCase) => {
  it('gives the same bytes, bill and record at any split into reads, whichever event fails', async () => {
    const seen = await trySplits(splitCase, SPLITS);
    // Streams that all fail, or of which none is cut off within its output, would show nothing.
    expect(seen).toEqual(expect.arrayContaining(['complete, long', 'failed, long']));
  });
});
