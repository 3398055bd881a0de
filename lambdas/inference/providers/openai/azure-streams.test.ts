import { describe, expect, it } from '@jest/globals';
import { decode, outcome, partsOf } from '../../testing/providers/openai/decoding.ts';
import { bytesOf, IDENTITY } from '../../testing/providers/openai/fixtures.ts';
import { collect, wire } from '../../testing/providers/streams.ts';

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

describe('a stream of Azure', () => {
  it.each(NAMES)('reaches a chat caller without the results of its filter: %s', async (name) => {
    const events = await collect(decode(bytesOf(name)));
    expect(events.flatMap(({ nativeEvent }) => nativeEvent ?? [])).toEqual(PASSED[name]);
  });

  it('takes its counts from the usage at its end', async () => {
    const events = await collect(decode(bytesOf('azure-async-filter')));
    expect(events.flatMap(({ usage }) => usage ?? [])).toMatchObject([
      { promptTokens: 12, completionTokens: 5 },
    ]);
    expect(events.map(({ outputText }) => outputText).join('')).toBe('Grün heißt 緑.');
  });

  it('ends as a refusal in other formats if the filter stops it', async () => {
    const parts = await partsOf(bytesOf('azure-stopped'));
    expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'refusal', raw: 'content_filter' });
    const finished = await partsOf(bytesOf('azure-async-filter'));
    expect(finished.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  });

  it('ends if an annotation follows its finish, also without `[DONE]`; fails if only annotations follow', async () => {
    const textChoice = { index: 0, delta: { content: 'a' }, finish_reason: null };
    const finalChoice = { index: 0, delta: {}, finish_reason: 'stop' };
    const note = { index: 0, finish_reason: null, content_filter_results: {} };
    const streamOf = (...choices: object[]) => wire(...choices.map((each) => ({ choices: [each] })));
    expect((await outcome(streamOf(textChoice, finalChoice, note))).failure).toBeUndefined();
    expect((await outcome(streamOf(textChoice, note))).failure).toMatchObject({ kind: 'interrupted' });
  });
});
