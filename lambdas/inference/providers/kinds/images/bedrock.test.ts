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
import { imagesOfBedrock } from './bedrock.ts';

const server = wireServer();
const bodies = () => bodiesOf(server);

const CORE = 'stability.stable-image-core-v1:1';
const QUESTION = { prompt: 'a fox', n: 1, size: '1024x1024' };

const paint = (payload: JsonObject, upstreamModel = CORE) =>
  imagesOfBedrock(
    { bedrockClient },
    () => 5_000,
  )(attemptOf(catalogOf('image', upstreamModel, server.origin), { ...QUESTION, ...payload }));

describe('images of Stability AI', () => {
  it.each([CORE, 'stability.stable-image-ultra-v1:1', 'stability.sd3-5-large-v1:0'])(
    'come from a signed call for each image: %s',
    async (model) => {
      let requestCount = 0;
      respondWith(server, () => {
        requestCount += 1;
        return { seeds: [requestCount], finish_reasons: [null], images: [`image${requestCount}`] };
      });
      const { images, created } = await paint({ n: 4 }, model);
      expect(images.map(({ b64_json: data }) => data).sort()).toEqual([
        'image1',
        'image2',
        'image3',
        'image4',
      ]);
      expect(created).toBe(5);
      const body = { prompt: 'a fox', aspect_ratio: '1:1', output_format: 'png' };
      expect(bodies()).toEqual([body, body, body, body]);
      expect(server.requests[0]?.path).toBe(`/model/${encodeURIComponent(model)}/invoke`);
      expect(server.requests[0]?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 /);
    },
  );

  it.each([
    [7, [7, 8, 9]],
    [0, [0, 0, 0]],
    [null, [undefined, undefined, undefined]],
  ])('differ within a call with the seed %p, and receive its negative prompt', async (seed, seeds) => {
    respondWith(server, () => ({ seeds: [1], finish_reasons: [null], images: ['QQ=='] }));
    await paint({ n: 3, seed, negative_prompt: 'a hound' });
    const requestCount = bodies();
    expect(requestCount.map((body) => body.seed).sort()).toEqual(seeds);
    expect(requestCount.map((body) => body.negative_prompt)).toEqual(['a hound', 'a hound', 'a hound']);
  });

  it('include each image that succeeds, if other calls are filtered, throttled or return no image', async () => {
    let requestCount = 0;
    server.respond = (response) => {
      requestCount += 1;
      if (requestCount === 3)
        response.writeHead(429, { 'x-amzn-errortype': 'ThrottlingException' }).end('{}');
      else
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(
            JSON.stringify(
              [
                { finish_reasons: ['Filter reason: output image'] },
                { seeds: [1], finish_reasons: [null], images: ['QQ=='] },
                {},
                { seeds: [2], finish_reasons: [null], images: [''] },
              ][requestCount - 1],
            ),
          );
    };
    expect((await paint({ n: 4 })).images).toEqual([{ b64_json: 'QQ==' }]);
  });

  it.each(['Filter reason: prompt', 'Filter reason: output image'])(
    'cause a rejection of the prompt without another route if the filter stops all of them: %s',
    async (reason) => {
      respondWith(server, () => ({ finish_reasons: [reason], images: ['QQ=='] }));
      expect(await failureOf(paint({ n: 2 }))).toMatchObject({
        status: 400,
        retryable: false,
        param: 'prompt',
      });
    },
  );

  it.each(['512x512', '768x768', '1024x768', '768x1024'])(
    'match the requested size: %s causes an error before any request',
    async (size) => {
      expect(await failureOf(paint({ size }))).toMatchObject({
        status: 400,
        retryable: false,
        param: 'size',
      });
      expect(server.requests).toEqual([]);
    },
  );

  it('leave the call to another route if the model has ended, and send nothing', async () => {
    const failure = await failureOf(paint({}, 'amazon.nova-canvas-v1:0'));
    expect(failure).toMatchObject({ status: 404, retryable: true });
    expect(server.requests).toEqual([]);
  });
});

describe('a failure that another route may not have', () => {
  it.each([
    ['no image', { finish_reasons: [null], images: [] }],
    ['an image that is no text', { finish_reasons: [null], images: [1] }],
    ['an error of the model', { finish_reasons: ['Inference error'] }],
    ['an image beside an error', { finish_reasons: ['Inference error'], images: ['QQ=='] }],
  ])('results from %s', async (_name, responseBody) => {
    respondWith(server, () => responseBody);
    expect(await failureOf(paint({ n: 2 }))).toMatchObject({ kind: 'protocol', retryable: true });
  });
});

describe('the catalog', () => {
  it.each([
    'stability.stable-image-inpaint-v1:0',
    'stability.stable-image-control-sketch-v1:0',
    'us.anthropic.claude-haiku-4-5-20251001-v1:0',
  ])('accepts no image model that the service cannot call: %s', (model) => {
    expect(() => catalogOf('image', model, 'http://bedrock.test')).toThrow('knows how to ask');
  });

  it('remains readable if it lists a model that has ended since', () => {
    for (const model of ['amazon.nova-canvas-v1:0', 'amazon.titan-image-generator-v2:0'])
      expect(catalogOf('image', model, 'http://bedrock.test').models).toHaveLength(1);
  });
});
