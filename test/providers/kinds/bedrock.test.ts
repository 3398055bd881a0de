import { describe, expect, it } from '@jest/globals';
import { createBedrockClients } from '../../../lambdas/adapters/aws/bedrock-clients.ts';
import { parseCatalog, type Route } from '../../../lambdas/core/inference/catalog/catalog-document.ts';
import type { ProviderAttempt } from '../../../lambdas/core/inference/kinds/call-kind.ts';
import type { JsonObject } from '../../../lambdas/core/json/lossless-json.ts';
import { embeddingsOfBedrock } from '../../../lambdas/providers/kinds/embeddings/bedrock.ts';
import { imagesOfBedrock } from '../../../lambdas/providers/kinds/images/bedrock.ts';
import { failureOf } from '../http-calls.ts';
import { wireServer } from '../wire-server.ts';

const server = wireServer();
const { client: bedrockClient } = createBedrockClients({
  region: 'us-east-1',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
});

const TITAN = 'amazon.titan-embed-text-v2:0';
const COHERE = 'cohere.embed-multilingual-v3';
const CANVAS = 'amazon.nova-canvas-v1:0';

const catalogOf = (type: 'embeddings' | 'image', upstreamModel: string, baseUrl: string) =>
  parseCatalog({
    models: [
      {
        id: 'sim/x',
        type,
        owned_by: 'sim',
        created: 1,
        price: type === 'image' ? { unit: 'per_image', image: 1 } : { unit: 'per_million_tokens', input: 1 },
        routes: [{ id: 'x', protocol: 'bedrock', base_url: baseUrl, upstream_model: upstreamModel }],
      },
    ],
  });

function attempt(
  type: 'embeddings' | 'image',
  upstreamModel: string,
  payload: JsonObject,
): ProviderAttempt<JsonObject> {
  const [model] = catalogOf(type, upstreamModel, server.origin).models;
  const signal = new AbortController().signal;
  return {
    route: model?.routes[0] as Route,
    payload,
    clock: { signal, begun: () => {}, close: () => {} },
  };
}

const embed = (upstreamModel: string, payload: JsonObject) =>
  embeddingsOfBedrock({ bedrockClient })(attempt('embeddings', upstreamModel, payload));
const paint = (payload: JsonObject) =>
  imagesOfBedrock({ bedrockClient }, () => 5_000)(attempt('image', CANVAS, payload));

const answers = (make: (body: Record<string, unknown>) => unknown, headers: Record<string, string> = {}) => {
  server.reply = (response, { body }) =>
    void response
      .writeHead(200, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(make(JSON.parse(body) as Record<string, unknown>)));
};
const bodies = () => server.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);

describe('embeddings of Titan', () => {
  it('are a signed call for each text, in the order of the texts, whichever answers first', async () => {
    server.reply = async (response, { body }) => {
      const { inputText } = JSON.parse(body) as { inputText: string };
      await new Promise((resolve) => setTimeout(resolve, inputText === 'a' ? 50 : 0));
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ embedding: [inputText.codePointAt(0)], inputTextTokenCount: 3 }));
    };
    const texts = ['a', 'b', 'c', ...Array.from({ length: 30 }, () => 'd')];
    const answer = await embed(TITAN, { input: texts, dimensions: 256 });
    expect(answer).toEqual({
      embeddings: texts.map((text) => [text.codePointAt(0)]),
      tokens: 3 * texts.length,
    });
    expect(bodies()).toContainEqual({ inputText: 'a', dimensions: 256 });
    expect(server.requests[0]?.path).toBe(`/model/${encodeURIComponent(TITAN)}/invoke`);
    expect(server.requests[0]?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 /);
    expect(server.requests).toHaveLength(33);
  });
});

describe('embeddings of Cohere', () => {
  it('are calls of 96 texts, counted by Bedrock’s own header', async () => {
    answers(({ texts }) => ({ embeddings: { float: (texts as string[]).map(() => [1]) } }), {
      'x-amzn-bedrock-input-token-count': '40',
    });
    const { embeddings, tokens } = await embed(COHERE, { input: Array.from({ length: 200 }, () => 'a') });
    expect([embeddings.length, tokens]).toEqual([200, 120]);
    expect(bodies().map(({ texts }) => (texts as string[]).length)).toEqual(
      expect.arrayContaining([96, 96, 8]),
    );
    expect(bodies()[0]).toMatchObject({ input_type: 'search_document', embedding_types: ['float'] });
  });

  it('that nobody counted say so', async () => {
    answers(() => ({ embeddings: { float: [[1]] } }));
    expect(await embed(COHERE, { input: 'a' })).toEqual({ embeddings: [[1]], tokens: undefined });
  });
});

describe('images', () => {
  it('are asked for by number and size, and no more are taken than were asked for', async () => {
    answers(() => ({ images: ['QQ==', 'Qg==', 'Qw=='] }));
    expect(await paint({ prompt: 'a fox', n: 2, size: '768x1024' })).toEqual({
      images: [{ b64_json: 'QQ==' }, { b64_json: 'Qg==' }],
      created: 5,
    });
    expect(bodies()).toEqual([
      {
        taskType: 'TEXT_IMAGE',
        textToImageParams: { text: 'a fox' },
        imageGenerationConfig: { numberOfImages: 2, width: 768, height: 1024, quality: 'standard' },
      },
    ]);
  });
});

describe('a call that cannot be served', () => {
  it.each([
    ['token ids', () => embed(TITAN, { input: [[1, 2]] }), 'input'],
    [
      'addresses of images',
      () => paint({ prompt: 'a', n: 1, size: '512x512', response_format: 'url' }),
      'response_format',
    ],
  ] as const)('is refused by its field before anything is sent: %s', async (_name, call, param) => {
    expect(await failureOf(call())).toMatchObject({ status: 400, retryable: false, param });
    expect(server.requests).toEqual([]);
  });
});

describe('a malformed answer leaves the call to another route', () => {
  it.each([
    ['no vector', {}],
    ['a vector of text', { embedding: 'AAAA' }],
    ['an empty vector', { embedding: [] }],
    ['no object', []],
  ])('%s', async (_name, answer) => {
    answers(() => answer);
    expect(await failureOf(embed(TITAN, { input: 'a' }))).toMatchObject({
      kind: 'protocol',
      retryable: true,
    });
  });

  it.each([
    ['fewer vectors than texts', { embeddings: { float: [[1]] } }],
    ['a list without types', { embeddings: [[1], [2]] }],
  ])('%s', async (_name, answer) => {
    answers(() => answer);
    expect(await failureOf(embed(COHERE, { input: ['a', 'b'] }))).toMatchObject({ kind: 'protocol' });
  });

  it('no image', async () => {
    answers(() => ({ images: [], error: 'all were filtered' }));
    const failure = await failureOf(paint({ prompt: 'a', n: 1, size: '512x512' }));
    expect(failure).toMatchObject({ kind: 'protocol', retryable: true });
  });

  it('a throttled call', async () => {
    server.reply = (response) =>
      void response.writeHead(429, { 'x-amzn-errortype': 'ThrottlingException' }).end('{"message":"slow"}');
    expect(await failureOf(embed(TITAN, { input: 'a' }))).toMatchObject({ status: 429, retryable: true });
  });
});

describe('the catalog', () => {
  it.each([
    ['embeddings', 'amazon.nova-canvas-v1:0'],
    ['image', 'stability.sd3-5-large-v1:0'],
  ] as const)('takes no model of %s that the service does not know how to ask: %s', (type, model) => {
    expect(() => catalogOf(type, model, 'http://bedrock.test')).toThrow('knows how to ask');
  });
});
