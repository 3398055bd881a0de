/** The responses and the bills of a guarded model, if the guardrail intervenes and if it does not. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  FORMAT_NAMES,
  type FormatName,
  receive,
} from '../../lambdas/inference/testing/completions/received.ts';
import { CountingTill, CREDENTIAL } from '../fuzz/counting-till.ts';
import { modelOf, routeTo, type Service, startService } from '../fuzz/running-service.ts';
import { Wire } from '../fuzz/wire.ts';

/** Nano-USD. */
const RATES = { input: 1_000, output: 2_000, request: 1_500_000 };
const PRICE = { unit: 'per_million_tokens', input: 1, output: 2, request: 0.0015 };

const catalogOf = (origin: string) => {
  const model = (stream: 'sync' | 'async') => {
    const guardrail = { id: 'abc123', version: '3', stream };
    const route = (priority: number) =>
      routeTo(origin, 'bedrock', { id: `${stream}-${priority}`, priority, guardrail });
    return modelOf(`guarded/${stream}`, 'chat', PRICE, { routes: [route(1), route(2)] });
  };
  return { models: [model('sync'), model('async')] };
};

/** Counts the attempts at routes. */
class CountingWire extends Wire {
  attempts = 0;
  override bedrockClient(endpoint: string) {
    this.attempts += 1;
    return super.bedrockClient(endpoint);
  }
}

const till = new CountingTill();
const wire = new CountingWire(1_000_000);
let service: Service;

beforeAll(async () => {
  service = await startService(till, Object.assign(wire, { catalog: catalogOf }));
});
afterAll(() => service.stop());

const bodyOf = (format: FormatName, prompt: string): object => {
  const messages = [{ role: 'user', content: prompt }];
  if (format === 'responses') return { input: prompt, store: false };
  return format === 'chat'
    ? { messages, max_tokens: 100, stream_options: { include_usage: true } }
    : { messages, max_tokens: 100 };
};

interface Request {
  readonly format: FormatName;
  readonly stream: boolean;
  readonly mode?: 'sync' | 'async';
  readonly fields?: object;
}

async function call(prompt: string, { format, stream, mode = 'sync', fields }: Request) {
  const { stream_options: options, ...plain } = bodyOf(format, prompt) as { stream_options?: object };
  const streamed = stream && options !== undefined ? { stream_options: options } : {};
  const body = { model: `guarded/${mode}`, stream, ...plain, ...streamed, ...fields };
  const headers = { 'content-type': 'application/json', 'x-api-key': CREDENTIAL };
  const attemptsBefore = wire.attempts;
  const response = await service.send(format, { headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(text);
  return {
    ...(await receive(format, text, stream)),
    native: text,
    route: response.headers.get('x-route'),
    attempts: wire.attempts - attemptsBefore,
    paid: till.paid.at(-1),
  };
}

const ways = FORMAT_NAMES.flatMap((format) => [false, true].map((stream) => ({ format, stream })));

const PROMPT = 'Say exactly: sim-blocked-prompt';
const OUTPUT = 'Say exactly: one two sim-blocked-output three';
const PROMPT_MESSAGE = 'Sorry, the guardrail blocked the prompt.';
const OUTPUT_MESSAGE = 'Sorry, the guardrail blocked the output.';

/** The words of each format for a blocked response. */
const NATIVE: Readonly<Record<FormatName, RegExp>> = {
  chat: /"finish_reason":"content_filter"/,
  messages: /"stop_reason":"refusal"/,
  responses: /"status":"incomplete".*"incomplete_details":\{"reason":"content_filter"\}/s,
};

const costOf = ({ prompt, output }: { readonly prompt: number; readonly output: number }): bigint =>
  BigInt(prompt * RATES.input + output * RATES.output + RATES.request);

describe.each(ways)('a call of a guarded model: $format, stream $stream', ({ format, stream }) => {
  it('receives the message of the guardrail for a blocked prompt, and pays the price of a request', async () => {
    const { native, paid, ...received } = await call(PROMPT, { format, stream });
    expect(received).toMatchObject({ text: PROMPT_MESSAGE, calls: [], end: 'filter', prompt: 0, output: 0 });
    expect(native).toMatch(NATIVE[format]);
    expect(paid?.cost).toBe(BigInt(RATES.request));
    expect(paid?.held).toBeGreaterThan(BigInt(RATES.request));
  });

  it('receives the message in place of a blocked output, and pays for the tokens of the model', async () => {
    const { native, paid, ...received } = await call(OUTPUT, { format, stream });
    expect(received).toMatchObject({ text: OUTPUT_MESSAGE, calls: [], end: 'filter' });
    expect(native).toMatch(NATIVE[format]);
    expect(native).not.toContain('sim-blocked-output');
    expect(received.prompt).toBeGreaterThan(0);
    expect(received.output).toBeGreaterThan(0);
    expect(paid?.cost).toBe(costOf(received));
  });

  it('receives the text before a late judgment only from a stream of the mode `async`', async () => {
    const { native, text, end } = await call(OUTPUT, { format, stream, mode: 'async' });
    expect(text).toBe(`${stream ? 'one two sim-blocked-output ' : ''}${OUTPUT_MESSAGE}`);
    expect(end).toBe('filter');
    expect(native).toMatch(NATIVE[format]);
  });

  it('receives an output that the guardrail allows, and pays the price of a request once', async () => {
    const { paid, ...received } = await call('Say exactly: hello', { format, stream });
    expect(received).toMatchObject({ text: 'hello', end: 'stop' });
    expect(paid?.cost).toBe(costOf(received));
  });

  it('stays on its route, because an intervention is a response', async () => {
    for (let at = 0; at < 12; at += 1) {
      const { attempts, route } = await call(at % 2 === 0 ? PROMPT : OUTPUT, { format, stream });
      expect({ attempts, route }).toEqual({ attempts: 1, route: 'sync-1' });
    }
  });
});

describe('JSON of a guarded model', () => {
  const schema = {
    type: 'object',
    properties: { word: { const: 'sim-blocked-output' } },
    required: ['word'],
  };
  const formats = [{ type: 'json_object' }, { type: 'json_schema', json_schema: { name: 'word', schema } }];

  it.each(formats)(
    'passes the guardrail like any text, because it is never the input of a tool: %j',
    async (format) => {
      for (const stream of [false, true]) {
        const fields = { response_format: format };
        const prompt = 'Say exactly: {"word":"sim-blocked-output"}';
        const received = await call(prompt, { format: 'chat', stream, fields });
        expect(received).toMatchObject({ text: OUTPUT_MESSAGE, calls: [], end: 'filter' });
        expect(received.native).not.toContain('sim-blocked-output');
      }
    },
  );
});

describe('tools of a guarded model', () => {
  const parameters = { type: 'object', properties: { city: { const: 'Oslo' } }, required: ['city'] };
  const fields = {
    tools: [{ type: 'function', function: { name: 'weather', parameters } }],
    tool_choice: 'required',
  };

  it.each([false, true])('receive calls as without a guardrail: stream %s', async (stream) => {
    const received = await call('Weather in Oslo?', { format: 'chat', stream, fields });
    expect(received).toMatchObject({ calls: [{ name: 'weather', input: { city: 'Oslo' } }], end: 'calls' });
  });

  it.each([false, true])('receive no call for a blocked prompt: stream %s', async (stream) => {
    const received = await call(PROMPT, { format: 'chat', stream, fields });
    expect(received).toMatchObject({ text: PROMPT_MESSAGE, calls: [], end: 'filter' });
  });
});
