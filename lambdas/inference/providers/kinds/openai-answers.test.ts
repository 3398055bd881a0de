import { describe, expect, it } from '@jest/globals';
import type { CatalogRoute, Model } from '../../core/catalog/catalog-document.ts';
import type { TranscriptionPayload } from '../../core/kinds/transcriptions/endpoint.ts';
import { embeddingsOfOpenAi } from './embeddings/openai.ts';
import { transcriptionsOfOpenAi } from './transcriptions/openai.ts';

const CANARY = 'heron-7f3a';
const vendor = { provider: CANARY, cost: CANARY, x_vendor: { id: CANARY } };

const http = (body: unknown) => ({
  fetch: async () =>
    new Response(JSON.stringify(body), { headers: { 'x-request-id': CANARY, server: CANARY } }),
  readSecret: async () => 'key',
  readToken: async () => 'token',
});
const attempt = <Payload>(payload: Payload) => ({
  model: {} as Model,
  route: { base_url: 'http://upstream.test', upstream_model: 'm' } as CatalogRoute,
  payload,
  clock: { signal: new AbortController().signal, stopFirstByte: () => {}, close: () => {} },
});

describe('embeddings of a server of the OpenAI protocol', () => {
  const readResponse = (input: unknown, data: readonly unknown[]) =>
    embeddingsOfOpenAi(http({ data, usage: { prompt_tokens: 3, cost: CANARY }, ...vendor }))(
      attempt({ input }),
    );
  const embeddingsOf = (entry: unknown) => readResponse('a', [entry]);

  it('consist of one for each input, in the order of the inputs', async () => {
    const at = (index: number) => ({ index, embedding: [index + 1] });
    expect((await readResponse(['a', 'b'], [at(1), at(0)])).embeddings).toEqual([[1], [2]]);
    for (const indexes of [[0], [0, 2], [0, 0], [0, 1, 2], [-1, 0]])
      await expect(readResponse(['a', 'b'], indexes.map(at))).rejects.toMatchObject({ kind: 'protocol' });
  });

  it('contain numbers and their token count, and no field of the vendor', async () => {
    expect(await embeddingsOf({ embedding: [1, 2], ...vendor })).toEqual({ embeddings: [[1, 2]], tokens: 3 });
  });

  it.each([
    { embedding: `${CANARY}!!` },
    { embedding: [1, null] },
    { embedding: [1e300] },
    { embedding: [1], index: {} },
    null,
  ])('cause a protocol failure if they are not numbers that a float can represent: %j', async (entry) => {
    await expect(embeddingsOf(entry)).rejects.toMatchObject({ kind: 'protocol' });
  });
});

describe('a transcript of a server of the OpenAI protocol', () => {
  const word = { word: 'Hi', start: 0.5, end: 1 };
  const readWords = async (words: unknown, granularities = ['word']) => {
    const payload: TranscriptionPayload = {
      content: new Blob(['sound']),
      sha256: '',
      length: undefined,
      untilEnded: () => {},
      type: { extension: 'wav', mimeType: 'audio/wav' },
      fields: granularities.map((value) => ['timestamp_granularities[]', value]),
    };
    return (await transcriptionsOfOpenAi(http({ text: 'Hi', words, ...vendor }))(attempt(payload))).words;
  };

  it('contains the times of its words if the caller requests them, and no field of the vendor', async () => {
    expect(await readWords([{ ...word, ...vendor }], ['segment', 'word'])).toEqual([word]);
    expect(await readWords([{ ...word, start: '0.5' }])).toEqual([word]);
    for (const granularities of [[], ['segment']])
      expect(await readWords([word], granularities)).toBeUndefined();
  });

  it.each([
    undefined,
    null,
    'Hi',
    [null],
    [{ word: 'Hi' }],
    [{ ...word, end: -1 }],
    [{ ...word, word: 5 }],
    [{ ...word, start: Number.NaN }],
  ])('contains no word without its times: %j', async (words) => {
    expect((await readWords(words)) ?? []).toEqual([]);
  });
});
