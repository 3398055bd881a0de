import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFields } from '../../lambdas/inference/core/fields/read-fields.ts';
import { PLAIN, SAMPLES, TABLES } from '../../lambdas/inference/testing/fields/samples/all.ts';
import type { Sample } from '../../lambdas/inference/testing/fields/samples/request-sample.ts';
import { CountingTill, CREDENTIAL } from '../fuzz/counting-till.ts';
import { type Service, type SurfaceName, startService } from '../fuzz/running-service.ts';
import { Wire } from '../fuzz/wire.ts';

/** Counts what is asked of the upstream. */
class CountingWire extends Wire {
  requests = 0;

  override readonly fetch: typeof globalThis.fetch = (...request) => {
    this.requests += 1;
    return fetch(...request);
  };

  override bedrockClient(endpoint: string) {
    const client = super.bedrockClient(endpoint);
    const send = client.send.bind(client) as (...command: unknown[]) => unknown;
    return Object.assign(client, {
      send: (...command: unknown[]) => {
        this.requests += 1;
        return send(...command);
      },
    });
  }
}

const till = new CountingTill();
const wire = new CountingWire(0);
let service: Service;

beforeAll(async () => {
  service = await startService(till, wire);
});
afterAll(() => service.stop());

const FORMATS = [
  ['chat', 'openai', 'sim/openai'],
  ['responses', 'openai-responses', 'sim/openai-responses'],
  ['messages', 'anthropic', 'sim/anthropic'],
] as const;
const MODELS = ['sim/openai', 'sim/openai-responses', 'sim/anthropic', 'sim/bedrock'];

async function sendRequest(format: SurfaceName, fields: object) {
  const headers = { 'content-type': 'application/json', 'x-api-key': CREDENTIAL };
  const requests = wire.requests;
  const response = await service.send(format, { headers, body: JSON.stringify(fields) });
  const text = await response.text();
  const ignored = response.headers.get('x-ignored-fields');
  const { error } = (text.startsWith('{') ? JSON.parse(text) : {}) as {
    readonly error?: { readonly code?: string; readonly param?: string; readonly message?: string };
  };
  return { status: response.status, error, ignored, calls: wire.requests - requests, open: till.open.size };
}

/** The price of output covers what a prediction adds to it. */
const isCovered = ({ features }: Sample) => features.every(({ kind }) => kind === 'output');

const isCacheBreakpoint = ({ features }: Sample) => features.every(({ kind }) => kind === 'cache-write');

describe.each(FORMATS)(
  'a request for a feature without a price on any model, to %s',
  (format, protocol, protocolFields) => {
    const samples = SAMPLES.filter((sample) => sample.protocol === protocol && !isCovered(sample));
    const isDocumented = ({ fields }: Sample) =>
      readFields(TABLES[protocol], { ...PLAIN[protocol], ...fields }).undocumented.length === 0;
    // A tool of the provider's that the request does not force is left out instead.
    const isTool = ({ features: [first] }: Sample) => first?.param.startsWith('tools[') === true;
    const requestWith = samples.filter(
      (sample) => isDocumented(sample) && (format === 'chat' || !isTool(sample)),
    );

    it('covers more than two kinds of features in these tests', () => {
      expect(
        new Set(requestWith.flatMap(({ features }) => features.map(({ kind }) => kind))).size,
      ).toBeGreaterThan(2);
    });

    it.each([false, true])(
      'causes an error that names the field, before a hold or an upstream call: stream %s',
      async (stream) => {
        const named: string[] = [];
        for (const sample of requestWith) {
          for (const model of MODELS) {
            if (isCacheBreakpoint(sample) && model !== protocolFields) continue;
            const { status, error, calls, open } = await sendRequest(format, {
              ...PLAIN[protocol],
              ...sample.fields,
              model,
              stream,
            });
            expect({ sample: sample.fields, model, status, calls, open }).toMatchObject({
              status: 400,
              calls: 0,
              open: 0,
            });
            if (error?.message?.includes(`${sample.features[0]?.param}:`))
              named.push(sample.features[0]?.param ?? '');
          }
        }
        // Some are no valid requests here at all, and refused for that first.
        expect(new Set(named).size).toBeGreaterThan(10);
      },
    );
  },
);

describe('a request without an unpriced feature', () => {
  it.each(FORMATS)('succeeds on %s', async (format, protocol, model) => {
    const bound = format === 'responses' ? { max_output_tokens: 16 } : { max_tokens: 16 };
    expect(await sendRequest(format, { ...PLAIN[protocol], model, ...bound })).toMatchObject({
      status: 200,
      calls: 1,
    });
  });

  it('succeeds on a route of another protocol, with its cache breakpoints ignored', async () => {
    const block = { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } };
    const messages = [{ role: 'user', content: [block] }];
    for (const model of ['sim/openai', 'sim/bedrock'])
      expect(await sendRequest('messages', { model, max_tokens: 8, messages })).toMatchObject({
        status: 200,
        calls: 1,
      });
  });
});

describe('a request with a field that no route accepts', () => {
  const plainOf = (format: SurfaceName) => (format === 'responses' ? { input: 'Hi' } : { messages: HI });
  const HI = [{ role: 'user', content: 'Hi' }];

  it.each(
    FORMATS.flatMap(([format]) =>
      MODELS.flatMap((model) => [false, true].map((stream) => [format, model, stream] as const)),
    ),
  )(
    'succeeds without the field, and a header names it: %s on %s, stream %s',
    async (format, model, stream) => {
      const bound = format === 'responses' ? { max_output_tokens: 16 } : { max_tokens: 16 };
      const fields = {
        ...plainOf(format),
        ...bound,
        model,
        stream,
        'new\r\nfield': { text: 'a' },
        seeds: null,
      };
      const { status, ignored } = await sendRequest(format, fields);
      expect({ status, ignored }).toEqual({ status: 200, ignored: 'new%0D%0Afield' });
    },
  );

  it.each(FORMATS)(
    'causes an error if its caller requires all fields: %s',
    async (format, _protocol, model) => {
      const provider = { require_parameters: true };
      const { status, error, calls } = await sendRequest(format, {
        ...plainOf(format),
        model,
        provider,
        new_field: 1,
      });
      expect({ status, error, calls }).toMatchObject({
        status: 400,
        calls: 0,
        error: {
          ...(format === 'messages' ? {} : { code: 'unsupported_by_model' }),
          message: expect.stringContaining('new_field'),
        },
      });
    },
  );
});

describe('a server tool that no route serves at a price', () => {
  const tools = [{ type: 'web_search' }];
  const search = { name: 'web_search', type: 'web_search_20250305' };

  it.each([
    ['responses', { input: 'Hi', max_output_tokens: 16, tools }],
    ['messages', { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 16, tools: [search] }],
  ] as const)(
    'does not reach the provider, and a header names it; require_parameters causes 400: %s',
    async (format, fields) => {
      for (const model of MODELS)
        expect(await sendRequest(format, { ...fields, model })).toMatchObject({
          status: 200,
          ignored: 'tools%5B0%5D',
        });
      const provider = { require_parameters: true };
      expect(await sendRequest(format, { ...fields, model: 'sim/openai', provider })).toMatchObject({
        status: 400,
        calls: 0,
      });
    },
  );

  it('causes an error if the request forces it', async () => {
    const forced = { input: 'Hi', max_output_tokens: 16, tools, tool_choice: { type: 'web_search' } };
    for (const model of MODELS)
      expect(await sendRequest('responses', { ...forced, model })).toMatchObject({
        status: 400,
        calls: 0,
        open: 0,
      });
  });
});

describe('an image of a quality that has no price', () => {
  it('causes an error that names the quality, and quality auto succeeds', async () => {
    const image = { model: 'sim/image', prompt: 'A tree' };
    expect(await sendRequest('images', { ...image, quality: 'hd' })).toMatchObject({
      status: 400,
      calls: 0,
      open: 0,
      error: { code: 'unpriced_feature', param: 'quality' },
    });
    expect(await sendRequest('images', { ...image, quality: 'auto' })).toMatchObject({
      status: 200,
      calls: 1,
    });
  });
});
