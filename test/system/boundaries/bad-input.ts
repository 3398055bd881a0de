/** Requests that are wrong, each answered with a clear error and nothing held. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { errorOf, Payer } from '../payer.ts';
import { isHost, service } from './service.ts';

const account = Payer.ofTests(service, '1');
/** Begun first, because the service has patience. */
let stalled: Promise<string>;

beforeAll(() => {
  stalled = stall();
});

/** Sends the beginning of a body and no more, and gives what is answered before the connection ends. */
async function stall(): Promise<string> {
  const { port, hostname } = new URL(service.session.base_url);
  const socket = connect(Number(port), hostname);
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${account.key}\r\n`;
  socket.write(`${head}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"model"`);
  return text(socket);
}

/** Asserts status and code, the envelope's four fields, and the request id at the message's end. */
async function expectError(
  response: Response,
  status: number,
  code: string,
  param?: string | null,
): Promise<void> {
  const { status: given, ...error } = await errorOf(response);
  expect({ given, error }).toMatchObject({ given: status });
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type']);
  expect(error.code).toBe(code);
  if (param !== undefined) expect(error.param).toBe(param);
  const requestId = response.headers.get('x-request-id') ?? 'none';
  expect(error.message).toContain(requestId);
}

const message = { role: 'user', content: 'Hi' };
const valid = { model: 'sim/chat', messages: [message] };

describe('a request that is not a chat request', () => {
  it.each([
    ['an empty body', '', 'invalid_json'],
    ['JSON that is no object', '[1,2]', 'invalid_value'],
  ])('causes 400 if it has %s', async (_what, body, code) =>
    expectError(await service.chat({}, { body, key: account.key }), 400, code, null),
  );

  it('causes 405 with the allowed method if it has another one', async () => {
    const response = await service.fetch('/v1/chat/completions');
    expect(response.headers.get('allow')).toBe('POST');
    await expectError(response, 405, 'method_not_allowed');
  });

  it('receives an error if its body stalls', async () => {
    const response = await stalled;
    expect(response).toMatch(isHost ? /^HTTP\/1\.1 400 / : /^HTTP\/1\.1 408 /);
    expect(response).toContain('"error"');
  });
});

const says = (...messages: readonly object[]) => ({ messages });
const withTool = (fields: object, choice?: string) => ({
  tools: [{ type: 'function', function: { name: 'f' }, ...fields }],
  tool_choice: choice,
});

/** Changes of a valid request, by the field that the error names. */
const MISSING: readonly (readonly [string, object])[] = [
  ['messages', { messages: undefined }],
  ['messages[0].role', says({ content: 'Hi' })],
  ['messages[1].content', says(message, { role: 'user' })],
  [
    'messages[0].content[0].image_url.url',
    says({ role: 'user', content: [{ type: 'image_url', image_url: {} }] }),
  ],
  ['messages[1].tool_call_id', says(message, { role: 'tool', content: 'x' })],
  [
    'messages[1].tool_calls[0].function.arguments',
    says(message, {
      role: 'assistant',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f' } }],
    }),
  ],
  ['tools[0].function', withTool({ function: undefined })],
  ['response_format.json_schema', { response_format: { type: 'json_schema' } }],
];
const INVALID: readonly (readonly [string, object])[] = [
  ['model', { model: 7 }],
  ['messages', { messages: [] }],
  ['messages', { messages: 'Hi' }],
  ['messages[0].role', says({ role: 'robot', content: 'Hi' })],
  ['messages[2].content', says(message, message, { role: 'user', content: 5 })],
  ['messages[0].content[0].type', says({ role: 'user', content: [{ type: 'smell' }] })],
  ['stream', { stream: 'yes' }],
  ['temperature', { temperature: 2.1 }],
  ['temperature', { temperature: -0.1 }],
  ['temperature', { temperature: '1' }],
  ['max_tokens', { max_tokens: 0 }],
  ['max_tokens', { max_tokens: 1.5 }],
  ['max_tokens', { max_tokens: 16_385 }],
  ['max_completion_tokens', { max_completion_tokens: 16_385 }],
  ['max_completion_tokens', { max_tokens: 5, max_completion_tokens: 6 }],
  ['top_p', { top_p: 1.01 }],
  ['stop', { stop: 5 }],
  ['n', { n: 0 }],
  ['n', { n: 129 }],
  ['presence_penalty', { presence_penalty: 2.5 }],
  ['frequency_penalty', { frequency_penalty: -2.5 }],
  ['tools', { tools: {} }],
  ['tools[0].function.name', withTool({ function: { name: 'a b' } })],
  ['tool_choice', withTool({}, 'perhaps')],
  ['response_format.type', { response_format: { type: 'xml' } }],
  ['stream_options', { stream: true, stream_options: 1 }],
  ['provider', { provider: { prefer: 'x' } }],
  ['provider', { provider: { only: ['nowhere'] } }],
];
const CASES = [
  ['models[0]', { models: ['no/such'] }, 'model_not_found'] as const,
  ...MISSING.map(([param, fields]) => [param, fields, 'missing_field'] as const),
  ...INVALID.map(([param, fields]) => [param, fields, 'invalid_value'] as const),
];

describe('each field of a chat request', () => {
  it.each(CASES)('causes an error that names it: %s in %j is %s', async (param, fields, code) => {
    await expectError(await service.chat({ ...valid, ...fields }, { key: account.key }), 400, code, param);
  });
});

describe('credentials', () => {
  it('suffice in X-API-Key alone', async () => {
    const response = await service.chat(valid, { key: null, headers: { 'x-api-key': account.key } });
    expect(response.status).toBe(200);
  });

  it('cause 401 before the body is read', async () =>
    expectError(await service.chat({}, { body: '{', key: 'uis_x' }), 401, 'invalid_api_key'));
});

describe('a list of usage', () => {
  it.each(['start=yesterday', 'limit=0', 'limit=101', 'cursor=abc'])(
    'causes an error that names the field: %s',
    async (query) => {
      const response = await service.fetch(`/v1/usage?${query}`, { key: account.key });
      await expectError(response, 400, 'invalid_value', query.split('=')[0]);
    },
  );
});

describe('afterwards', () => {
  it('leaves no hold, a balanced ledger and a running service', async () => {
    expect(await service.wallet(account.id)).toMatchObject({ held: 0, holds: [] });
    expect(await service.audit()).toMatchObject({ exact: true, drift: 0, held: 0 });
    expect((await service.fetch('/health', { key: null })).status).toBe(200);
  });
});
