import { describe, expect, it } from '@jest/globals';
import { wireServer } from '../../../platform/testing/connections/wire-server.ts';
import { describeFailingRoute, describeFetchedRoute } from '../../testing/providers/failing-route.ts';
import {
  type Call,
  callsOf,
  DEPENDENCIES,
  EVENT_STREAM,
  eventsOf,
  failureOf,
  JSON_TYPE,
} from '../../testing/providers/http-calls.ts';
import { bytesOf, IDENTITY, jsonOf, nativePayload } from '../../testing/providers/openai/fixtures.ts';
import { createOpenAiProvider } from './provider.ts';

const server = wireServer();
const callAt = callsOf({
  protocol: 'openai',
  provider: createOpenAiProvider(DEPENDENCIES),
  identity: IDENTITY,
  payload: (stream) => nativePayload({ messages: [{ role: 'user', content: 'Grüße' }], seed: 7 }, stream),
});
const call = (options: Call = {}) => callAt(server.origin, options);

const respondWith = (status: number, headers: Record<string, string>, body: string | Uint8Array) => {
  server.respond = (response) => void response.writeHead(status, headers).end(body);
};
const respondWithStream = () => respondWith(200, EVENT_STREAM, bytesOf('text'));
const respondWithJson = () => respondWith(200, JSON_TYPE, JSON.stringify(jsonOf('completion')));

describe('a call', () => {
  it('sends one POST to the route’s address, with its key and its model', async () => {
    respondWithJson();
    await call({ secret: 'env:UPSTREAM_KEY' });
    expect(server.requests).toEqual([
      expect.objectContaining({ method: 'POST', path: '/v1/chat/completions' }),
    ]);
    const [{ headers, body } = { headers: {}, body: '' }] = server.requests;
    expect(headers).toMatchObject({
      authorization: 'Bearer key-of-env:UPSTREAM_KEY',
      'content-type': 'application/json',
      accept: 'application/json',
    });
    expect(JSON.parse(body)).toEqual({
      model: 'upstream-model',
      messages: [{ role: 'user', content: 'Grüße' }],
      seed: 7,
      stream: false,
    });
  });

  it('requests an event stream and usage if it streams', async () => {
    respondWithStream();
    await eventsOf(call({ stream: true }));
    const [{ headers, body } = { headers: {}, body: '{}' }] = server.requests;
    expect(headers.accept).toBe('text/event-stream');
    expect(JSON.parse(body)).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it('returns a complete response', async () => {
    respondWithJson();
    expect(await call()).toMatchObject({
      kind: 'json',
      completeResponse: { body: { ...IDENTITY } },
      usage: { promptTokens: 19 },
    });
  });

  it('takes an event stream whatever the parameters of its type', async () => {
    respondWith(200, { 'content-type': 'Text/Event-Stream; charset=UTF-8' }, bytesOf('text'));
    expect(await eventsOf(call({ stream: true }))).toHaveLength(7);
  });
});

describeFetchedRoute({ server, callAt });
describeFailingRoute({
  server,
  callAt,
  completeBody: JSON.stringify(jsonOf('completion')),
  stream: bytesOf('text'),
  otherStreams: [bytesOf('without-done')],
  errorInStream: bytesOf('error-in-band'),
  stranger: '{"choices":[]}',
});

it('a route that sends invalid data within a stream counts as a failed upstream', async () => {
  respondWith(200, EVENT_STREAM, 'data: {"choices":[null]}\n\n');
  expect(await failureOf(eventsOf(call({ stream: true })))).toMatchObject({ retryable: true });
});
