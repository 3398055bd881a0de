/** Requests that are wrong, each answered with a clear error and nothing held. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { isHost, service, TOO_LARGE } from './service.ts';

let account: { readonly id: string; readonly key: string };
/** Begun first, because the service has patience. */
let stalled: Promise<string>;

beforeAll(async () => {
  account = await service.account('1');
  stalled = stall();
}, 90_000);

/** Sends the beginning of a body and no more, and gives what is answered before the connection ends. */
async function stall(): Promise<string> {
  const { port, hostname } = new URL(service.session.base_url);
  const socket = connect(Number(port), hostname);
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${account.key}\r\n`;
  socket.write(`${head}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"model"`);
  return text(socket);
}

interface Envelope {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: string;
    readonly param: string | null;
  };
}

/** Asserts status and code, the envelope's four fields, and the request id at the message's end. */
async function expectError(
  response: Response,
  status: number,
  code: string,
  param?: string | null,
): Promise<void> {
  const json = await response.text();
  expect({ status: response.status, json }).toMatchObject({ status });
  const { error } = JSON.parse(json) as Envelope;
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type']);
  expect(error.code).toBe(code);
  if (param !== undefined) expect(error.param).toBe(param);
  const requestId = response.headers.get('x-request-id') ?? 'none';
  expect(error.message).toContain(requestId);
}

const message = { role: 'user', content: 'Hi' };
const valid = { model: 'sim/chat', messages: [message] };
const post = (body: string, headers: Record<string, string> = {}) =>
  service.fetch('/v1/chat/completions', {
    method: 'POST',
    body,
    key: account.key,
    headers: { 'content-type': 'application/json', ...headers },
  });

describe('a request that is not a chat request', () => {
  it('causes invalid_json if it is not JSON', async () =>
    expectError(await post('{"model":'), 400, 'invalid_json'));
  it('a body nested too deep', async () =>
    expectError(
      await post(`{"x":${'['.repeat(5_000)}${']'.repeat(5_000)},${JSON.stringify(valid).slice(1)}`),
      400,
      'invalid_json',
    ));
  it('an empty body', async () => expectError(await post(''), 400, 'invalid_json'));
  it('another content type', async () =>
    expectError(
      await post(JSON.stringify(valid), { 'content-type': 'text/plain' }),
      400,
      'unsupported_media_type',
    ));
  it('JSON that is no object', async () => expectError(await post('[1,2]'), 400, 'invalid_value', null));
  it('an unknown path', async () => expectError(await service.fetch('/v1/nothing'), 404, 'unknown_path'));
  it('a wrong method', async () => {
    const response = await service.fetch('/v1/chat/completions');
    expect(response.headers.get('allow')).toBe('POST');
    await expectError(response, 405, 'method_not_allowed');
  });
  it('a body of more than is taken', async () =>
    expectError(
      await post(JSON.stringify({ ...valid, pad: 'x'.repeat(TOO_LARGE) })),
      413,
      'request_too_large',
    ));
  (isHost ? it.skip : it)('a body of 11 MB, which API Gateway does not take', async () =>
    expectError(
      await post(JSON.stringify({ ...valid, pad: 'x'.repeat(11 << 20) })),
      413,
      'request_too_large',
    ),
  );
  it('a body that stalls', async () => {
    const response = await stalled;
    expect(response).toMatch(isHost ? /^HTTP\/1\.1 400 / : /^HTTP\/1\.1 408 /);
    expect(response).toContain('"error"');
  });
});

describe('each field of a chat request', () => {
  const tool = { type: 'function', function: { name: 'f' } };
  const cases: readonly (readonly [string, object, string, string])[] = [
    ['no model', { messages: [message] }, 'missing_field', 'model'],
    ['model of another type', { ...valid, model: 7 }, 'invalid_value', 'model'],
    ['unknown model', { ...valid, model: 'no/such' }, 'model_not_found', 'model'],
    ['unknown further model', { ...valid, models: ['no/such'] }, 'model_not_found', 'models[0]'],
    ['no messages', { model: 'sim/chat' }, 'missing_field', 'messages'],
    ['messages empty', { ...valid, messages: [] }, 'invalid_value', 'messages'],
    ['messages of another type', { ...valid, messages: 'Hi' }, 'invalid_value', 'messages'],
    ['role missing', { ...valid, messages: [{ content: 'Hi' }] }, 'missing_field', 'messages[0].role'],
    [
      'role unknown',
      { ...valid, messages: [{ role: 'robot', content: 'Hi' }] },
      'invalid_value',
      'messages[0].role',
    ],
    [
      'content missing',
      { ...valid, messages: [message, { role: 'user' }] },
      'missing_field',
      'messages[1].content',
    ],
    [
      'content of another type',
      { ...valid, messages: [message, message, { role: 'user', content: 5 }] },
      'invalid_value',
      'messages[2].content',
    ],
    [
      'unknown part',
      { ...valid, messages: [{ role: 'user', content: [{ type: 'smell' }] }] },
      'invalid_value',
      'messages[0].content[0].type',
    ],
    [
      'image without URL',
      { ...valid, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
      'missing_field',
      'messages[0].content[0].image_url.url',
    ],
    [
      'image URL of another scheme',
      {
        ...valid,
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] },
        ],
      },
      'invalid_value',
      'messages[0].content[0].image_url.url',
    ],
    [
      'tool result without its call',
      { ...valid, messages: [message, { role: 'tool', content: 'x' }] },
      'missing_field',
      'messages[1].tool_call_id',
    ],
    [
      'tool call without arguments',
      {
        ...valid,
        messages: [
          message,
          { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f' } }] },
        ],
      },
      'missing_field',
      'messages[1].tool_calls[0].function.arguments',
    ],
    ['stream of another type', { ...valid, stream: 'yes' }, 'invalid_value', 'stream'],
    ['temperature too high', { ...valid, temperature: 2.1 }, 'invalid_value', 'temperature'],
    ['temperature too low', { ...valid, temperature: -0.1 }, 'invalid_value', 'temperature'],
    ['temperature as text', { ...valid, temperature: '1' }, 'invalid_value', 'temperature'],
    ['max_tokens zero', { ...valid, max_tokens: 0 }, 'invalid_value', 'max_tokens'],
    ['max_tokens a fraction', { ...valid, max_tokens: 1.5 }, 'invalid_value', 'max_tokens'],
    ['max_tokens beyond the model', { ...valid, max_tokens: 16_385 }, 'invalid_value', 'max_tokens'],
    [
      'max_completion_tokens beyond the model',
      { ...valid, max_completion_tokens: 16_385 },
      'invalid_value',
      'max_completion_tokens',
    ],
    [
      'two different limits',
      { ...valid, max_tokens: 5, max_completion_tokens: 6 },
      'invalid_value',
      'max_completion_tokens',
    ],
    ['top_p too high', { ...valid, top_p: 1.01 }, 'invalid_value', 'top_p'],
    ['stop of another type', { ...valid, stop: 5 }, 'invalid_value', 'stop'],
    ['n zero', { ...valid, n: 0 }, 'invalid_value', 'n'],
    ['n too high', { ...valid, n: 129 }, 'invalid_value', 'n'],
    ['presence_penalty too high', { ...valid, presence_penalty: 2.5 }, 'invalid_value', 'presence_penalty'],
    [
      'frequency_penalty too low',
      { ...valid, frequency_penalty: -2.5 },
      'invalid_value',
      'frequency_penalty',
    ],
    ['tools of another type', { ...valid, tools: {} }, 'invalid_value', 'tools'],
    [
      'tool without a function',
      { ...valid, tools: [{ type: 'function' }] },
      'missing_field',
      'tools[0].function',
    ],
    [
      'tool with a bad name',
      { ...valid, tools: [{ type: 'function', function: { name: 'a b' } }] },
      'invalid_value',
      'tools[0].function.name',
    ],
    [
      'tool_choice unknown',
      { ...valid, tools: [tool], tool_choice: 'perhaps' },
      'invalid_value',
      'tool_choice',
    ],
    [
      'tool_choice of a tool that is not there',
      { ...valid, tools: [tool], tool_choice: { type: 'function', function: { name: 'g' } } },
      'invalid_value',
      'tool_choice.function.name',
    ],
    ['tool_choice without tools', { ...valid, tool_choice: 'required' }, 'invalid_value', 'tool_choice'],
    [
      'response_format unknown',
      { ...valid, response_format: { type: 'xml' } },
      'invalid_value',
      'response_format.type',
    ],
    [
      'json_schema without a schema',
      { ...valid, response_format: { type: 'json_schema' } },
      'missing_field',
      'response_format.json_schema',
    ],
    [
      'stream_options of another type',
      { ...valid, stream: true, stream_options: 1 },
      'invalid_value',
      'stream_options',
    ],
    ['unknown routing control', { ...valid, provider: { prefer: 'x' } }, 'invalid_value', 'provider'],
    [
      'routing controls that leave nothing',
      { ...valid, provider: { only: ['nowhere'] } },
      'invalid_value',
      'provider',
    ],
  ];
  it.each(cases)('%s', async (_name, body, code, param) => {
    await expectError(await service.chat(body, { key: account.key }), 400, code, param);
  });
});

describe('credentials', () => {
  const chat = (headers: Record<string, string>) => service.chat(valid, { key: null, headers });

  it('forged: every character right but the last', async () => {
    const last = account.key.endsWith('0') ? '1' : '0';
    await expectError(await chat({ 'x-api-key': account.key.slice(0, -1) + last }), 401, 'invalid_api_key');
  });
  it('cause 401 if they have no scheme', async () =>
    expectError(await chat({ authorization: account.key }), 401, 'invalid_api_key'));
  it('cause 401 if they have another scheme', async () =>
    expectError(await chat({ authorization: 'Basic dTpw' }), 401, 'invalid_api_key'));
  it('X-API-Key alone is enough', async () =>
    expect((await chat({ 'x-api-key': account.key })).status).toBe(200));
  it('Authorization wins over X-API-Key', async () => {
    const validResponse = await chat({ authorization: `Bearer ${account.key}`, 'x-api-key': 'uis_short' });
    expect(validResponse.status).toBe(200);
    await expectError(
      await chat({ authorization: 'Bearer uis_short', 'x-api-key': account.key }),
      401,
      'invalid_api_key',
    );
  });
  it('accepts X-API-Key next to a value in Authorization that is not a key', async () => {
    for (const authorization of ['Basic dTpw', 'Bearer sk-abc', 'Bearer a.b.c'])
      expect((await chat({ authorization, 'x-api-key': account.key })).status).toBe(200);
    await expectError(
      await chat({ authorization: 'Bearer a.b.c', 'x-api-key': 'uis_short' }),
      401,
      'invalid_api_key',
    );
  });
  it('the service checks them before the body', async () => {
    const response = await service.fetch('/v1/chat/completions', { method: 'POST', body: '{', key: 'uis_x' });
    await expectError(response, 401, 'invalid_api_key');
  });
});

describe('reads', () => {
  const get = (path: string, key: string) => service.fetch(path, { key });

  it('usage: bad bounds, limits and cursors are named', async () => {
    await expectError(await get('/v1/usage?start=yesterday', account.key), 400, 'invalid_value', 'start');
    await expectError(await get('/v1/usage?limit=0', account.key), 400, 'invalid_value', 'limit');
    await expectError(await get('/v1/usage?limit=101', account.key), 400, 'invalid_value', 'limit');
    await expectError(await get('/v1/usage?cursor=abc', account.key), 400, 'invalid_value', 'cursor');
  });
});

describe('afterwards', () => {
  it('leaves no hold, a balanced ledger and a running service', async () => {
    const wallet = await service.admin<{ held: number; holds: unknown[] }>(
      'wallet',
      'show',
      '--account',
      account.id,
    );
    expect(wallet).toMatchObject({ held: 0, holds: [] });
    expect(await service.admin('audit')).toMatchObject({ exact: true, drift: 0, held: 0 });
    expect((await service.fetch('/health', { key: null })).status).toBe(200);
  });
});
