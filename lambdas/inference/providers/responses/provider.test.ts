import { describe, expect, it } from '@jest/globals';
import { wireServer } from '../../../platform/testing/connections/wire-server.ts';
import { describeFailingRoute, describeFetchedRoute } from '../../testing/providers/failing-route.ts';
import {
  callsOf,
  DEPENDENCIES,
  EVENT_STREAM,
  eventsOf,
  failureOf,
  JSON_TYPE,
} from '../../testing/providers/http-calls.ts';
import {
  bytesOf,
  CANARY,
  EVENTS,
  IDENTITY,
  native,
  RESPONSE,
} from '../../testing/providers/responses/fixtures.ts';
import { createResponsesProvider, features } from './provider.ts';

const server = wireServer();
const callAt = callsOf({
  protocol: 'openai-responses',
  provider: createResponsesProvider(DEPENDENCIES),
  identity: IDENTITY,
  payload: (stream) => native({}, stream),
});

const respondWith = (status: number, type: Record<string, string>, body: string | Uint8Array) => {
  server.respond = (response) => void response.writeHead(status, type).end(body);
};

describe('a call', () => {
  it('sends one POST to the route’s address, with its key and its model, complete or streamed', async () => {
    respondWith(200, JSON_TYPE, JSON.stringify(RESPONSE));
    expect(await callAt(server.origin, { secret: 'env:KEY' })).toMatchObject({
      completeResponse: { body: IDENTITY },
    });
    respondWith(200, EVENT_STREAM, bytesOf(EVENTS));
    expect(await eventsOf(callAt(server.origin, { stream: true }))).toHaveLength(EVENTS.length);
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/responses',
      'POST /v1/responses',
    ]);
    const [complete, streamed] = server.requests.map(({ body }) => JSON.parse(body) as object);
    expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer key-of-env:KEY' });
    expect(complete).toEqual({ model: 'upstream-model', input: 'Hi', store: false, stream: false });
    expect(streamed).toMatchObject({ stream: true });
  });

  it('names the field that the upstream rejected', async () => {
    respondWith(
      400,
      JSON_TYPE,
      JSON.stringify({ error: { code: 'invalid_value', param: 'max_output_tokens' } }),
    );
    expect(await failureOf(callAt(server.origin))).toMatchObject({
      kind: 'status',
      status: 400,
      retryable: false,
      param: 'max_output_tokens',
    });
  });
});

describeFetchedRoute({ server, callAt });
describeFailingRoute({
  server,
  callAt,
  completeBody: JSON.stringify(RESPONSE),
  stream: bytesOf(EVENTS),
  errorInStream: bytesOf([EVENTS[0], { type: 'error', code: 'server_error', message: CANARY }]),
  stranger: '{"output":null}',
});

it('the provider supports items, and images and documents by URL, in addition to a conversation, and no stop sequences', () => {
  expect([...features].sort()).toEqual([
    'blank-turns',
    'document-urls',
    'documents',
    'image-urls',
    'responses-items',
  ]);
});
