import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { wireServer } from '../../../../platform/testing/connections/wire-server.ts';
import { failureOf } from '../../../testing/providers/http-calls.ts';
import {
  attemptOf,
  bedrockClient,
  bodiesOf,
  catalogOf,
  respondWith,
} from '../../../testing/providers/kinds/bedrock-calls.ts';
import { embeddingsOfBedrock } from './bedrock.ts';

const server = wireServer();
const bodies = () => bodiesOf(server);

const TITAN = 'amazon.titan-embed-text-v2:0';
const COHERE = 'cohere.embed-multilingual-v3';

const embed = (upstreamModel: string, payload: JsonObject, model: object = {}) =>
  embeddingsOfBedrock({ bedrockClient })(
    attemptOf(catalogOf('embeddings', upstreamModel, server.origin, model), payload),
  );

describe('a batch that takes several calls', () => {
  const doubtful = 'ⰰ'.repeat(40);
  const inputs = (count: number) => [...Array.from({ length: count - 1 }, () => 'a'), doubtful];

  it.each([
    ['Titan', TITAN, 2],
    ['Cohere', COHERE, 97],
  ])(
    'causes an error before the first call of %s if one text may be too long',
    async (_name, model, count) => {
      const failure = await failureOf(embed(model, { input: inputs(count) }, { context_window: 100 }));
      expect(failure).toMatchObject({ status: 400, retryable: false, param: `input[${count - 1}]` });
      expect(failure.rejection?.reason).toContain('Send it in a request of its own.');
      expect(server.requests).toEqual([]);
    },
  );

  it.each([
    ['Titan', TITAN, 1],
    ['Cohere', COHERE, 96],
  ])(
    'sends a long text in a separate call, and %s decides whether it is too long',
    async (_name, model, count) => {
      respondWith(server, ({ texts: requestedTexts = [0] }) => ({
        embedding: [1],
        inputTextTokenCount: 9,
        embeddings: { float: (requestedTexts as unknown[]).map(() => [1]) },
      }));
      const { embeddings } = await embed(model, { input: inputs(count) }, { context_window: 100 });
      expect(embeddings).toHaveLength(count);
    },
  );
});

describe('embeddings of Titan', () => {
  it('come from one signed call per text, and follow the order of the texts if responses arrive in another', async () => {
    server.respond = async (response, { body }) => {
      const { inputText } = JSON.parse(body) as { inputText: string };
      await new Promise((resolve) => setTimeout(resolve, inputText === 'a' ? 50 : 0));
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ embedding: [inputText.codePointAt(0)], inputTextTokenCount: 3 }));
    };
    const inputs = ['a', 'b', 'c', ...Array.from({ length: 30 }, () => 'd')];
    const responseBody = await embed(TITAN, { input: inputs, dimensions: 256 });
    expect(responseBody).toEqual({
      embeddings: inputs.map((text) => [text.codePointAt(0)]),
      tokens: 3 * inputs.length,
    });
    expect(bodies()).toContainEqual({ inputText: 'a', dimensions: 256 });
    expect(server.requests[0]?.path).toBe(`/model/${encodeURIComponent(TITAN)}/invoke`);
    expect(server.requests[0]?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 /);
    expect(server.requests).toHaveLength(33);
  });
});

describe('embeddings of Cohere', () => {
  it('come from calls of up to 96 texts, counted by Bedrock’s header', async () => {
    respondWith(server, ({ texts }) => ({ embeddings: { float: (texts as string[]).map(() => [1]) } }), {
      'x-amzn-bedrock-input-token-count': '40',
    });
    const { embeddings, tokens } = await embed(COHERE, { input: Array.from({ length: 200 }, () => 'a') });
    expect([embeddings.length, tokens]).toEqual([200, 120]);
    expect(bodies().map(({ texts }) => (texts as string[]).length)).toEqual(
      expect.arrayContaining([96, 96, 8]),
    );
    expect(bodies()[0]).toMatchObject({ input_type: 'search_document', embedding_types: ['float'] });
  });

  it('report no token count if Bedrock counts none', async () => {
    respondWith(server, () => ({ embeddings: { float: [[1]] } }));
    expect(await embed(COHERE, { input: 'a' })).toEqual({ embeddings: [[1]], tokens: undefined });
  });
});

it('token ids cause an error with the field’s name before a request is sent', async () => {
  expect(await failureOf(embed(TITAN, { input: [[1, 2]] }))).toMatchObject({
    status: 400,
    retryable: false,
    param: 'input',
  });
  expect(server.requests).toEqual([]);
});

describe('a failure that another route may not have', () => {
  it.each([
    ['no vector', {}],
    ['a vector of text', { embedding: 'AAAA' }],
    ['an empty vector', { embedding: [] }],
    ['no object', []],
  ])('results from %s', async (_name, responseBody) => {
    respondWith(server, () => responseBody);
    expect(await failureOf(embed(TITAN, { input: 'a' }))).toMatchObject({
      kind: 'protocol',
      retryable: true,
    });
  });

  it.each([
    ['fewer vectors than texts', { embeddings: { float: [[1]] } }],
    ['a list without types', { embeddings: [[1], [2]] }],
  ])('results from %s', async (_name, responseBody) => {
    respondWith(server, () => responseBody);
    expect(await failureOf(embed(COHERE, { input: ['a', 'b'] }))).toMatchObject({ kind: 'protocol' });
  });

  it('results from a throttled call', async () => {
    server.respond = (response) =>
      void response.writeHead(429, { 'x-amzn-errortype': 'ThrottlingException' }).end('{"message":"slow"}');
    expect(await failureOf(embed(TITAN, { input: 'a' }))).toMatchObject({ status: 429, retryable: true });
  });
});

it('the catalog accepts no embedding model that the service cannot call', () => {
  expect(() => catalogOf('embeddings', 'stability.stable-image-core-v1:1', 'http://bedrock.test')).toThrow(
    'knows how to ask',
  );
});
