import { describe, expect, it } from '@jest/globals';
import { wireServer } from '../../../platform/testing/connections/wire-server.ts';
import { describeFailingRoute, describeFetchedRoute } from '../../testing/providers/failing-route.ts';
import { bytesOf, EVENTS, RESPONSE } from '../../testing/providers/gemini/fixtures.ts';
import {
  CANARY,
  callsOf,
  DEPENDENCIES,
  EVENT_STREAM,
  eventsOf,
  JSON_TYPE,
} from '../../testing/providers/http-calls.ts';
import { CONVERSATION, convertedPayload } from '../../testing/providers/payloads.ts';
import { createGeminiProvider } from './provider.ts';

const server = wireServer();
const callAt = callsOf({
  protocol: 'gemini',
  provider: createGeminiProvider(DEPENDENCIES),
  identity: { id: 'chatcmpl-abc', model: 'a/b' },
  payload: (stream) => convertedPayload(CONVERSATION, stream),
});

describe('a call', () => {
  it('sends one POST to the model’s method, with the key in a header and never in the address', async () => {
    server.respond = (response) => void response.writeHead(200, JSON_TYPE).end(JSON.stringify(RESPONSE));
    expect(await callAt(server.origin, { secret: 'env:KEY' })).toMatchObject({ kind: 'json' });
    server.respond = (response) => void response.writeHead(200, EVENT_STREAM).end(bytesOf(EVENTS));
    expect(await eventsOf(callAt(server.origin, { stream: true, secret: 'env:KEY' }))).not.toHaveLength(0);
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/models/upstream-model:generateContent',
      'POST /v1/models/upstream-model:streamGenerateContent?alt=sse',
    ]);
    for (const { headers } of server.requests)
      expect(headers).toMatchObject({ 'x-goog-api-key': 'key-of-env:KEY' });
  });
});

describeFetchedRoute({ server, callAt });
describeFailingRoute({
  server,
  callAt,
  completeBody: JSON.stringify(RESPONSE),
  stream: bytesOf(EVENTS),
  errorInStream: bytesOf([EVENTS[0], { error: { code: 503, message: CANARY, status: 'UNAVAILABLE' } }]),
  stranger: '{"candidates":[]}',
});
