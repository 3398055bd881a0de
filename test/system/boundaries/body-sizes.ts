/** Bodies around what a Lambda event and API Gateway take, in both of an event's encodings, on every kind of route. */
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { ROUTES } from '../../../lambdas/app/routes.ts';
import type { Route } from '../../../lambdas/platform/contract/route.ts';
import { form as fileForm, wavOfBytes } from '../../../tools/test-kit/recordings.ts';
import { errorOf, Payer } from '../payer.ts';
import { isHost, service } from './service.ts';

const MB = 1024 * 1024;

/** One route of each kind that takes a body; files have a host of their own. */
const KINDS = Object.values(
  Object.fromEntries(
    (ROUTES as readonly Route[])
      .filter(({ method, endpoint }) => method !== 'GET' && endpoint !== 'create-transcription')
      .map((route) => [[route.api, route.surface, route.response, route.authentication].join(' '), route]),
  ),
).map((route): readonly [string, Route] => [`${route.method} ${route.path}`, route]);

const payer = Payer.ofTests(service, '1');

interface SizedRequest {
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** JSON that is an event's text as it is, and one that is nearly twice as long there; forms are base64 in an event. */
const json = (bytes: number): SizedRequest => ({
  type: 'application/json',
  body: Uint8Array.from(Buffer.from(`{"pad":"${'x'.repeat(bytes - 10)}"}`)),
});
const escaped = (bytes: number): SizedRequest => ({
  type: 'application/json',
  body: Uint8Array.from(Buffer.from(`{"pad":[${'"",'.repeat(bytes / 3)}""]}`)),
});
const form = (bytes: number): SizedRequest => ({
  type: 'multipart/form-data; boundary=xyz',
  body: new Uint8Array(bytes).fill(0x78),
});

const send = ({ method, path }: Pick<Route, 'method' | 'path'>, { type, body }: SizedRequest) =>
  service.fetch(path.replaceAll(/\{[^}]+\}/g, 'one'), {
    method,
    body,
    key: payer.key,
    headers: { 'content-type': type },
  });

const describeGateway = isHost ? describe.skip : describe;

/** The first of each API; the others, whose integrations are the same, show their envelope. */
const FIRST = KINDS.filter(([, { api }], at) => KINDS.findIndex(([, other]) => other.api === api) === at);

describeGateway('a body larger than an event or a gateway takes', () => {
  it.each(KINDS)('causes 413 in the envelope of both SDK families: %s', async (_, route) => {
    const sizes = [json(6.1 * MB), json(11 * MB), escaped(4 * MB), form(4.6 * MB), form(11 * MB)];
    for (const sizedRequest of FIRST.some(([, first]) => first === route) ? sizes : sizes.slice(0, 1)) {
      const response = await send(route, sizedRequest);
      expect([response.status, sizedRequest.type, sizedRequest.body.length]).toEqual([
        413,
        sizedRequest.type,
        sizedRequest.body.length,
      ]);
      expect(await response.json()).toMatchObject({
        type: 'error',
        error: { type: 'invalid_request_error', code: 'request_too_large', param: null },
      });
    }
  });

  it.each(FIRST)('starts above the size that fits into an event: %s', async (_, route) => {
    for (const sizedRequest of [json(5.9 * MB), escaped(3.4 * MB), form(4.4 * MB)]) {
      const { status } = await send(route, sizedRequest);
      expect([status === 413, status >= 500, sizedRequest.type, sizedRequest.body.length]).toEqual([
        false,
        false,
        sizedRequest.type,
        sizedRequest.body.length,
      ]);
    }
  });
});

describeGateway('a file for a transcription, where no host takes uploads', () => {
  it('succeeds if it is small, and the error for a larger one names the limit', async () => {
    const upload = (bytes: number) =>
      payer.post('/v1/audio/transcriptions', fileForm(wavOfBytes(bytes), 'a.wav'));
    expect((await upload(3 * MB)).status).toBe(200);
    for (const bytes of [4 * MB + 1, 6 * MB]) {
      const response = await upload(bytes);
      expect(await errorOf(response)).toMatchObject({
        status: 413,
        code: 'request_too_large',
        message: expect.stringContaining('4 MB'),
      });
    }
    expect((await payer.wallet()).held).toBe(0);
  });
});

/** Counts what a client sends to the service, or to what answers in its place. */
function counting(fetcher: typeof fetch) {
  const count = { requests: 0 };
  const counted: typeof fetch = (input, init) => {
    count.requests += 1;
    return fetcher(input, init);
  };
  return { count, counted };
}

/** The statuses that each SDK throws for a call with so large a prompt, with the retries that it makes by itself. */
async function failuresOf(fetcher: typeof fetch, content: string) {
  const { count, counted } = counting(fetcher);
  const messages = [{ role: 'user' as const, content }];
  const options = { apiKey: payer.key, fetch: counted };
  const openai = new OpenAI({ ...options, baseURL: `${service.session.base_url}/v1` });
  const anthropic = new Anthropic({ ...options, baseURL: service.session.base_url });
  const calls = [
    () => openai.chat.completions.create({ model: 'sim/chat', messages }),
    () => openai.responses.create({ model: 'sim/chat', input: content }),
    () => anthropic.messages.create({ model: 'sim/chat', max_tokens: 1, messages }),
  ];
  const statuses: unknown[] = [];
  for (const call of calls)
    statuses.push(await call().catch((failure: { readonly status?: unknown }) => failure.status));
  return { statuses, requests: count.requests };
}

describeGateway('an SDK whose body is too large', () => {
  it('throws the 413, and does not send it again', async () => {
    expect(await failuresOf(fetch, 'x'.repeat(7 * MB))).toEqual({ statuses: [413, 413, 413], requests: 3 });
  });

  it.each([
    ['above 10 MB, which no template shapes', 'text/plain', 'HTTP content length exceeded 10485760 bytes.'],
    ['where no template fits', 'application/json', '{"message": "Request Too Long"}'],
  ])('throws the 413 and does not retry if the response is AWS’s own %s', async (_, type, text) => {
    const fetcher = async () => new Response(text, { status: 413, headers: { 'content-type': type } });
    expect(await failuresOf(fetcher, 'Hi')).toEqual({ statuses: [413, 413, 413], requests: 3 });
  });

  it('would retry twice if the status were 503 in place of 413', async () => {
    const headers = { 'content-type': 'application/json', 'retry-after-ms': '1' };
    const fetcher = async () => new Response('{}', { status: 503, headers });
    expect(await failuresOf(fetcher, 'Hi')).toEqual({ statuses: [503, 503, 503], requests: 9 });
  });

  it('throws a 503 and does not retry if x-should-retry is false', async () => {
    const headers = { 'content-type': 'application/json', 'x-should-retry': 'false' };
    const fetcher = async () => new Response('{}', { status: 503, headers });
    expect(await failuresOf(fetcher, 'Hi')).toEqual({ statuses: [503, 503, 503], requests: 3 });
  });
});
