import { describe, expect, it } from '@jest/globals';
import { wireServer } from '../../../platform/testing/connections/wire-server.ts';
import {
  bytesOf,
  foreignPayload,
  IDENTITY,
  jsonOf,
  nativePayload,
} from '../../testing/providers/anthropic/fixtures.ts';
import { describeFailingRoute, describeFetchedRoute } from '../../testing/providers/failing-route.ts';
import {
  CANARY,
  type Call,
  callsOf,
  DEPENDENCIES,
  EVENT_STREAM,
  eventsOf,
  everythingIn,
  failureOf,
  JSON_TYPE,
} from '../../testing/providers/http-calls.ts';
import { createAnthropicProvider, features } from './provider.ts';

const server = wireServer();
const BODY = { max_tokens: 256, messages: [{ role: 'user', content: 'Grüße' }], top_k: 7 };
const callAt = callsOf({
  protocol: 'anthropic',
  provider: createAnthropicProvider(DEPENDENCIES),
  identity: IDENTITY,
  payload: (stream) => nativePayload(BODY, stream),
});
const call = (options: Call = {}) => callAt(server.origin, options);

const respondWith = (status: number, headers: Record<string, string>, body: string | Uint8Array) => {
  server.respond = (response) => void response.writeHead(status, headers).end(body);
};
const respondWithStream = (name = 'text') => respondWith(200, EVENT_STREAM, bytesOf(name));
const respondWithJson = () => respondWith(200, JSON_TYPE, JSON.stringify(jsonOf('message')));

describe('a call', () => {
  it('supports image addresses and the protocol’s own blocks in addition to a conversation', () => {
    expect([...features].sort()).toEqual([
      'document-urls',
      'documents',
      'image-urls',
      'messages-blocks',
      'stop-sequences',
    ]);
  });

  it('sends one POST to the route’s address, with its key, the protocol’s version and the route’s model', async () => {
    respondWithJson();
    await call({ secret: 'env:UPSTREAM_KEY' });
    expect(server.requests).toEqual([expect.objectContaining({ method: 'POST', path: '/v1/messages' })]);
    const [{ headers, body } = { headers: {}, body: '' }] = server.requests;
    expect(headers).toMatchObject({
      'x-api-key': 'key-of-env:UPSTREAM_KEY',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      accept: 'application/json',
    });
    expect(headers).not.toHaveProperty('authorization');
    expect(JSON.parse(body)).toEqual({
      model: 'upstream-model',
      max_tokens: 256,
      messages: [{ role: 'user', content: 'Grüße' }],
      top_k: 7,
      stream: false,
    });
  });

  it('requests an event stream if it streams', async () => {
    respondWithStream();
    await eventsOf(call({ stream: true }));
    const [{ headers, body } = { headers: {}, body: '{}' }] = server.requests;
    expect(headers.accept).toBe('text/event-stream');
    expect(JSON.parse(body)).toMatchObject({ stream: true });
  });

  it('preserves the digits of its request and of its response', async () => {
    const parts = [
      { type: 'tool-call', id: 'c', name: 'f', arguments: '{"n":12345678901234567890}' },
    ] as const;
    const text =
      '{"content":[{"type":"tool_use","id":"a","name":"f","input":{"n":98765432109876543210}}],"stop_reason":"tool_use"}';
    respondWith(200, JSON_TYPE, text);
    const payload = foreignPayload({ turns: [{ role: 'assistant', parts }] });
    expect(JSON.stringify(await call({ payload }))).toContain('{\\"n\\":98765432109876543210}');
    expect(server.requests[0]?.body).toContain('{"n":12345678901234567890}');
  });

  it('returns the provider’s response to a caller of the protocol', async () => {
    respondWithJson();
    expect(await call()).toMatchObject({
      kind: 'json',
      completeResponse: { body: IDENTITY },
      usage: { promptTokens: 2200 },
    });
    respondWithStream();
    expect((await eventsOf(call({ stream: true }))).map(({ nativeEvent }) => nativeEvent?.type)).toHaveLength(
      8,
    );
  });

  it('returns protocol-neutral content to any other caller', async () => {
    respondWithJson();
    const response = await call({ payload: foreignPayload() });
    expect(response).toMatchObject({
      kind: 'json',
      completeResponse: { output: { finish: { reason: 'tool-calls' } } },
    });
    respondWithStream();
    const events = await eventsOf(call({ payload: foreignPayload({}, true) }));
    expect(events.flatMap(({ parts }) => parts ?? []).map(({ type }) => type)).toEqual([
      'start',
      'delta',
      'delta',
      'delta',
      'end',
      'finish',
    ]);
  });

  it('returns the input of the declared tool in JSON mode', async () => {
    respondWithStream('json-answer');
    const events = await eventsOf(call({ payload: foreignPayload({ format: { type: 'json' } }, true) }));
    const parts = events.flatMap((event) => event.parts ?? []);
    expect(parts.flatMap((part) => (part.type === 'delta' ? part.text : []))).toEqual([
      '{"größe":',
      ' 12345678901234567890}',
    ]);
    const { tools } = JSON.parse(server.requests[0]?.body ?? '{}') as { tools: unknown };
    expect(tools).toEqual([expect.objectContaining({ name: 'json_answer' })]);
  });
});

describeFetchedRoute({ server, callAt });
describeFailingRoute({
  server,
  callAt,
  completeBody: JSON.stringify(jsonOf('message')),
  stream: bytesOf('text'),
  errorInStream: bytesOf('error-in-band'),
  stranger: '{"content":[]}',
});

it.each([
  [400, false, 'messages[0].content'],
  [413, false, 'messages[0].content'],
  [401, true, undefined],
  [404, true, undefined],
  [500, true, undefined],
  [529, true, undefined],
])(
  'the failure reports whether another route can be attempted after status %i',
  async (status, retryable, param) => {
    const error = { type: 'some_error', message: `messages.0.content: ${CANARY}` };
    respondWith(status, JSON_TYPE, JSON.stringify({ type: 'error', error }));
    const failure = await failureOf(call({ stream: true }));
    expect(failure).toMatchObject({ kind: 'status', status, retryable, param });
    expect(everythingIn(failure)).not.toContain(CANARY);
  },
);
