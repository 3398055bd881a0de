/**
 * The walk of a caller through the first mistakes, with the official SDKs if one makes the call: each has one status and code,
 * and a message that says what to do. Larger bodies are in `boundaries/body-sizes.ts`, and rates in `limits.ts`.
 */
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { wav } from '../../../tools/test-kit/recordings.ts';
import { Owner } from '../owner.ts';
import { caller, service } from './service.ts';

interface Rejection {
  readonly status: number;
  readonly code?: string | null;
  readonly message: string;
}

const messages = [{ role: 'user' as const, content: 'Hi' }];
const retried = { maxRetries: 0 };
const openai = (options: object = {}) =>
  new OpenAI({ baseURL: `${service.session.base_url}/v1`, apiKey: caller.key, ...retried, ...options });
const chat = (fields: object, options: object = {}) =>
  openai(options).chat.completions.create({ model: 'sim/chat', messages, ...fields });
const speak = (fields: object, headers: Record<string, string> = {}) =>
  openai().audio.speech.create({ model: 'sim/tts', input: 'Hi', voice: 'alloy', ...fields }, { headers });
const curl = (body: string, headers: Record<string, string> = {}) =>
  service.fetch('/v1/chat/completions', {
    method: 'POST',
    key: null,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${caller.key}`, ...headers },
    body,
  });

/** Returns the rejection without the id of the request, which ends its message. */
async function rejectionOf(call: Promise<unknown>): Promise<Rejection> {
  const result = await call.catch((failure: unknown) => failure);
  const { status } = result as { readonly status: number };
  const body =
    result instanceof Response ? await result.json() : (result as { readonly error: unknown }).error;
  const { error = body } = body as { readonly error?: Rejection };
  const { code, message } = error as Rejection;
  const [, text = '', id] = /^(.*) \(request id: (req_\w{26})\)$/s.exec(message) ?? [];
  expect({ message, id }).toMatchObject({ id: expect.any(String) });
  return { status, message: text, ...(code === undefined ? {} : { code }) };
}

const CASES: readonly (readonly [string, () => Promise<unknown>, number, string | undefined, string])[] = [
  [
    'a model of a tutorial',
    () => chat({ model: 'gpt-4o' }),
    400,
    'model_not_found',
    'There is no chat model named "gpt-4o". The default is "sim/chat". GET /v1/models lists the models.',
  ],
  [
    'a model whose name is a guess',
    () => openai().embeddings.create({ model: 'sim/embeddings', input: 'a' }),
    400,
    'model_not_found',
    'There is no embeddings model named "sim/embeddings". Did you mean "sim/embed"? GET /v1/models lists the models.',
  ],
  [
    'a model of another kind',
    () => chat({ model: 'sim/embed' }),
    400,
    'model_not_found',
    '"sim/embed" is an embeddings model: call POST /v1/embeddings.',
  ],
  [
    'an OpenAI client whose base URL has no /v1',
    () => chat({}, { baseURL: service.session.base_url }),
    404,
    'unknown_path',
    'There is no such path; did you mean /v1/chat/completions? The base URL of an OpenAI client ends in /v1 (not /api/v1), that of an Anthropic client has no path.',
  ],
  [
    'an Anthropic client whose base URL has /v1',
    () =>
      new Anthropic({
        baseURL: `${service.session.base_url}/v1`,
        apiKey: caller.key,
        ...retried,
      }).messages.create({ model: 'sim/chat', max_tokens: 1, messages }),
    404,
    'unknown_path',
    'There is no such path; did you mean /v1/messages? The base URL of an OpenAI client ends in /v1 (not /api/v1), that of an Anthropic client has no path.',
  ],
  [
    'a batch, as OpenAI has them',
    () => openai().batches.list(),
    404,
    'unknown_path',
    'This service does not have /v1/batches: send each request by itself; they may run concurrently.',
  ],
  [
    'a batch, as Anthropic has them',
    () =>
      new Anthropic({
        baseURL: service.session.base_url,
        apiKey: caller.key,
        ...retried,
      }).messages.batches.list(),
    404,
    undefined,
    'This service does not have /v1/messages/batches: send each request by itself; they may run concurrently.',
  ],
  [
    'a variable of the shell that is empty in place of the key',
    () => curl('{}', { authorization: 'Bearer ' }),
    401,
    'missing_api_key',
    'No API key was sent. Send one as "Authorization: Bearer <key>" or "X-API-Key: <key>".',
  ],
  [
    'a session in place of a key',
    async () => chat({}, { apiKey: (await Owner.open(service)).session }),
    401,
    'invalid_api_key',
    'A session was sent where an API key is needed. Send one as "Authorization: Bearer <key>" or "X-API-Key: <key>".',
  ],
  [
    'a key in place of a session',
    () => service.fetch('/api-keys', { key: caller.key }),
    401,
    'invalid_session',
    'An API key was sent where a session is needed: sign in, and send its access_token.',
  ],
  [
    'a call without credit',
    async () => chat({}, { apiKey: (await service.account('0')).key }),
    402,
    'insufficient_credit',
    "The account's balance of 0 USD does not cover the estimate for this call, 0.0001851 USD; add credit in the console under Billing, or with POST /api/create-order.",
  ],
  [
    'JSON with a comma missing',
    () => curl('{"model": "sim/chat",\n "n": 1 "messages": []}'),
    400,
    'invalid_json',
    'The body is not valid JSON at line 2, column 9.',
  ],
  [
    'a temperature above its bound',
    () => chat({ temperature: 3 }),
    400,
    'invalid_value',
    'temperature: must be at most 2.',
  ],
  ['no message', () => chat({ messages: [] }), 400, 'invalid_value', 'messages: must not be empty.'],
  [
    'a role that does not exist',
    () => chat({ messages: [{ role: 'bot', content: 'Hi' }] }),
    400,
    'invalid_value',
    'messages[0].role: must be one of system, developer, user, assistant, tool.',
  ],
  [
    'more output than the model writes',
    () => chat({ model: 'sim/chat-large', max_tokens: 99_999 }),
    400,
    'invalid_value',
    'max_tokens: sim/chat-large writes at most 65536 tokens, and this request allows 99999. Request fewer, or choose another model.',
  ],
  [
    'tools for a model that has none',
    () => chat({ model: 'sim/chat-plain', tools: [{ type: 'function', function: { name: 'f' } }] }),
    400,
    'unsupported_by_model',
    'No route of sim/chat-plain supports tools. Leave it out, or choose another model.',
  ],
  [
    'a voice of another provider',
    () => speak({ voice: 'bob' }),
    400,
    'invalid_value',
    'voice: sim/tts has the voices alloy, ash, ballad, coral, echo, fable, nova, onyx, sage, shimmer.',
  ],
  [
    'speech that is repeated with its Idempotency-Key',
    async () => {
      const headers = { 'idempotency-key': 'mistake' };
      await (await speak({}, headers)).arrayBuffer();
      return speak({}, headers);
    },
    400,
    'idempotency_key_reused',
    'This Idempotency-Key was used by a call whose response was streamed, as speech always is. Such a response cannot be replayed; send another call with a new key.',
  ],
  [
    'a WAV file that is named MP3',
    async () =>
      openai().audio.transcriptions.create({ model: 'sim/stt', file: await toFile(wav(1.2), 'a.mp3') }),
    400,
    'unsupported_file_type',
    'file is named .mp3, but its content is wav.',
  ],
  [
    'too many images',
    () => openai().images.generate({ model: 'sim/image', prompt: 'a fox', n: 9 }),
    400,
    'invalid_value',
    'n: must be at most 4.',
  ],
];

describe('a first mistake', () => {
  it.each(CASES)(
    'receives a message that says what to do: %s',
    async (_words, call, status, code, message) => {
      expect(await rejectionOf(call())).toEqual({ status, code, message });
    },
  );
});

describe('an address that is opened in a browser', () => {
  const open = (path: string, accept = 'text/html,application/xhtml+xml,*/*;q=0.8') =>
    fetch(`${service.session.base_url}${path}`, { headers: { accept } });

  it('shows a page with links, and its JSON to all others', async () => {
    const [page, json] = [await open('/'), await open('/', '*/*')];
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const links = [...(await page.text()).matchAll(/<a href="([^"#]+)/g)].map(([, link]) => link);
    expect(links).toEqual(expect.arrayContaining(['console', 'docs', 'openapi.json']));
    for (const link of links) expect((await open(`/${link}`)).status).toBe(200);
    expect(await json.json()).toMatchObject({ endpoints: expect.any(Array) });
  });

  it('says that a base URL is one, and needs no icon', async () => {
    const base = await open('/v1');
    expect([base.status, await base.text()]).toEqual([
      404,
      expect.stringContaining('the base URL of clients'),
    ]);
    expect((await open('/favicon.ico')).status).toBe(204);
  });
});
