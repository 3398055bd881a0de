import { describe, expect } from '@jest/globals';
import { it } from '../../../../tools/test-kit/search.ts';
import { offsets } from '../../../../tools/test-kit/thorough.ts';
import { collect, decode, encode, event, outcome } from '../../testing/providers/openai/decoding.ts';
import { bytesOf, CALL, IDENTITY } from '../../testing/providers/openai/fixtures.ts';
import { sseData } from '../http-upstream.ts';
import { toReplyEvents } from './stream.ts';

const NAMES = ['azure-async-filter', 'azure-stopped'] as const;

const chunk = (choice: object) => ({
  ...IDENTITY,
  object: 'chat.completion.chunk',
  created: 1692913344,
  choices: [{ index: 0, finish_reason: null, ...choice }],
});

/** The chunks that a caller of chat receives from each recording. */
const PASSED = {
  'azure-async-filter': [
    chunk({ delta: { role: 'assistant', content: '' } }),
    chunk({ delta: { content: 'Grün ' } }),
    chunk({ delta: { content: 'heißt 緑.' } }),
    chunk({ delta: {}, finish_reason: 'stop' }),
  ],
  'azure-stopped': [
    chunk({ delta: { role: 'assistant' } }),
    chunk({ delta: { content: 'Vier Zeilen' } }),
    { ...chunk({ delta: {}, finish_reason: 'content_filter' }), created: 0 },
  ],
};

/** The parts that a caller of another format gets. */
async function partsOf(bytes: Uint8Array) {
  const payload = { ...CALL.payload, protocol: 'anthropic' as const };
  async function* whole() {
    yield bytes;
  }
  const events = await collect(toReplyEvents(sseData(whole()), { ...CALL, payload }));
  return events.flatMap(({ parts = [] }) => parts);
}

describe('a stream of Azure', () => {
  it.each(NAMES)('gives the same events wherever its bytes are split in two: %s', async (name) => {
    const bytes = bytesOf(name);
    const whole = await collect(decode(bytes));
    for (const at of offsets(0, bytes.length))
      expect(await collect(decode(bytes.subarray(0, at), bytes.subarray(at)))).toEqual(whole);
  });

  it.each(NAMES)('reaches a caller of chat without what its filter says: %s', async (name) => {
    const events = await collect(decode(bytesOf(name)));
    expect(events.flatMap(({ payload }) => payload ?? [])).toEqual(PASSED[name]);
  });

  it('takes its counts from the usage at its end', async () => {
    const events = await collect(decode(bytesOf('azure-async-filter')));
    expect(events.flatMap(({ usage }) => usage ?? [])).toMatchObject([
      { promptTokens: 12, completionTokens: 5 },
    ]);
    expect(events.map(({ text }) => text).join('')).toBe('Grün heißt 緑.');
  });

  it('ends as a refusal in other formats if the filter stopped it', async () => {
    const parts = await partsOf(bytesOf('azure-stopped'));
    expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'refusal', raw: 'content_filter' });
    const finished = await partsOf(bytesOf('azure-async-filter'));
    expect(finished.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  });

  it('ends if an annotation follows its finish, also without `[DONE]`; fails if only annotations follow', async () => {
    const said = { index: 0, delta: { content: 'a' }, finish_reason: null };
    const ended = { index: 0, delta: {}, finish_reason: 'stop' };
    const note = { index: 0, finish_reason: null, content_filter_results: {} };
    const streamOf = (...choices: object[]) =>
      encode(choices.map((each) => event({ choices: [each] })).join(''));
    expect((await outcome(streamOf(said, ended, note))).failure).toBeUndefined();
    expect((await outcome(streamOf(said, note))).failure).toMatchObject({ kind: 'interrupted' });
  });
});
