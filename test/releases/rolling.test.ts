/** Hosts of the newest release and of the version after it, side by side on one database. */
import { describe, expect } from '@jest/globals';
import { releasedVersion } from '../../tools/bench/rolling/programs.ts';
import { playRollout } from '../../tools/bench/rolling/rollout.ts';
import { it } from '../../tools/test-kit/search.ts';
import { drawsOf } from '../../tools/test-kit/seed.ts';
import { rounds } from '../../tools/test-kit/thorough.ts';

const CALLS_BETWEEN = rounds(120);

describe('64 callers of hosts that are replaced by those of the next version, and back', () => {
  it('lose no call to a drained host, only open ones to a killed host, and leave exact ledgers', async () => {
    const result = await playRollout({
      old: releasedVersion(),
      next: 'candidate',
      passes: ['drain', 'kill'],
      callsBetween: CALLS_BETWEEN,
      draw: drawsOf('rolling hosts'),
    });
    expect(result.failures).toEqual([]);
    expect(result.differences).toEqual({
      drift: 0n,
      held: 0n,
      overCaps: 0n,
      missingOfCaps: 0n,
      callsWithoutRecord: 0,
      recordsWithoutCall: 0,
    });
    // A rollout in which none of these happens proves nothing.
    const { drainedCalls, cut, replayedByOther, overCap } = result;
    expect(Math.min(drainedCalls, cut, replayedByOther, overCap)).toBeGreaterThan(0);
  });
});
