import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PLAIN, SAMPLES } from '../core/inference/levers/samples/all.ts';
import type { Sample } from '../core/inference/levers/samples/request-sample.ts';
import { CountingTill, CREDENTIAL } from '../fuzz/counting-till.ts';
import { type Service, type SurfaceName, startService } from '../fuzz/running-service.ts';
import { Wire } from '../fuzz/wire.ts';

/** Counts what is asked of the upstream. */
class CountingWire extends Wire {
  asked = 0;

  override readonly fetch: typeof globalThis.fetch = (...request) => {
    this.asked += 1;
    return fetch(...request);
  };

  override bedrockClient(endpoint: string) {
    const client = super.bedrockClient(endpoint);
    const send = client.send.bind(client) as (...command: unknown[]) => unknown;
    return Object.assign(client, {
      send: (...command: unknown[]) => {
        this.asked += 1;
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
  ['chat', 'openai-chat', 'sim/openai'],
  ['responses', 'openai-responses', 'sim/openai-responses'],
  ['messages', 'anthropic-messages', 'sim/anthropic'],
] as const;
const MODELS = ['sim/openai', 'sim/openai-responses', 'sim/anthropic', 'sim/bedrock'];

async function ask(format: SurfaceName, fields: object) {
  const headers = { 'content-type': 'application/json', 'x-api-key': CREDENTIAL };
  const asked = wire.asked;
  const answer = await service.send(format, { headers, body: JSON.stringify(fields) });
  const text = await answer.text();
  const { error } = (text.startsWith('{') ? JSON.parse(text) : {}) as {
    readonly error?: { readonly code?: string; readonly param?: string; readonly message?: string };
  };
  return { status: answer.status, error, calls: wire.asked - asked, open: till.open.size };
}

/** The price of output covers what a prediction adds to it. */
const isCovered = ({ demands }: Sample) => demands.every(({ kind }) => kind === 'output');

const isMark = ({ demands }: Sample) => demands.every(({ kind }) => kind === 'cache-write');

describe.each(FORMATS)(
  'a request that asks for what no model has a price for, to %s',
  (format, protocol, own) => {
    const asking = SAMPLES.filter((sample) => sample.protocol === protocol && !isCovered(sample));

    it('has samples of every kind', () => {
      expect(new Set(asking.flatMap(({ demands }) => demands.map(({ kind }) => kind))).size).toBeGreaterThan(
        4,
      );
    });

    it.each([false, true])(
      'is refused by the name of the field, before it is held or asked: stream %s',
      async (stream) => {
        const named: string[] = [];
        for (const sample of asking) {
          for (const model of MODELS) {
            if (isMark(sample) && model !== own) continue;
            const { status, error, calls, open } = await ask(format, {
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
            if (error?.message?.includes(`${sample.demands[0]?.param}:`))
              named.push(sample.demands[0]?.param ?? '');
          }
        }
        // Some are no valid requests here at all, and refused for that first.
        expect(new Set(named).size).toBeGreaterThan(10);
      },
    );
  },
);

describe('a request that asks for nothing of the kind', () => {
  it.each(FORMATS)('is served on %s', async (format, protocol, model) => {
    const bound = format === 'responses' ? { max_output_tokens: 16 } : { max_tokens: 16 };
    expect(await ask(format, { ...PLAIN[protocol], model, ...bound })).toMatchObject({
      status: 200,
      calls: 1,
    });
  });

  it('is served by a route of another protocol without its marks for a cache', async () => {
    const block = { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } };
    const messages = [{ role: 'user', content: [block] }];
    for (const model of ['sim/openai', 'sim/bedrock'])
      expect(await ask('messages', { model, max_tokens: 8, messages })).toMatchObject({
        status: 200,
        calls: 1,
      });
  });
});

describe('an image of a quality that has no price', () => {
  it('is refused, and one of the provider’s own choice is drawn', async () => {
    const image = { model: 'sim/image', prompt: 'A tree' };
    expect(await ask('images', { ...image, quality: 'hd' })).toMatchObject({
      ...{ status: 400, calls: 0, open: 0 },
      error: { code: 'unpriced_feature', param: 'quality' },
    });
    expect(await ask('images', { ...image, quality: 'auto' })).toMatchObject({ status: 200, calls: 1 });
  });
});
