import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from '@jest/globals';
import { type WireResponder, wireServer } from '../../../platform/testing/connections/wire-server.ts';
import {
  attemptAt,
  type Call,
  callAt,
  EVENT_STREAM,
  JSON_TYPE,
  RESPONSE,
} from '../../testing/providers/bedrock/calling.ts';
import { exceptionFrame, TEXT, TEXT_PART } from '../../testing/providers/bedrock/frames.ts';
import { describeFailingRoute } from '../../testing/providers/failing-route.ts';
import { CANARY, eventsOf, failureOf, until } from '../../testing/providers/http-calls.ts';
import { createBedrockProvider, features } from './provider.ts';

const server = wireServer();
const call = (options: Call = {}) => callAt(server.origin, options);

const respondWithStream: WireResponder = (response) => void response.writeHead(200, EVENT_STREAM).end(TEXT);
const respondCompletely: WireResponder = (response) =>
  void response.writeHead(200, JSON_TYPE).end(JSON.stringify(RESPONSE));
const PATH = '/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0';

describe('a call of Bedrock', () => {
  it('sends one signed request for the route’s model, complete or streamed', async () => {
    server.respond = respondCompletely;
    expect(await call()).toMatchObject({ kind: 'json', outputText: 'Hi' });
    server.respond = respondWithStream;
    expect(await eventsOf(call({ stream: true }))).toHaveLength(5);
    expect(server.requests.map(({ method, path }) => [method, path])).toEqual([
      ['POST', `${PATH}/converse`],
      ['POST', `${PATH}/converse-stream`],
    ]);
    for (const { headers, body } of server.requests) {
      expect(headers.authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/bedrock\/aws4_request, /,
      );
      expect(JSON.parse(body)).toEqual({
        messages: [{ role: 'user', content: [{ text: 'Grüße' }] }],
        inferenceConfig: { maxTokens: 256 },
      });
    }
  });

  it('contains images as bytes', async () => {
    server.respond = respondCompletely;
    const data = Buffer.from([137, 80, 78, 71]).toString('base64');
    const image = { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data } } as const;
    await call({ conversation: { turns: [{ role: 'user', parts: [image] }] } });
    expect(JSON.parse(server.requests[0]?.body ?? '').messages[0].content).toEqual([
      { image: { format: 'png', source: { bytes: data } } },
    ]);
  });

  it('loses no digit of whole numbers in a tool call’s arguments', async () => {
    server.respond = respondCompletely;
    const part = { type: 'tool-call', id: 'a', name: 'f', arguments: '{"id":12345678901234567890}' } as const;
    await call({ conversation: { turns: [{ role: 'assistant', parts: [part] }] } });
    expect(server.requests[0]?.body).toContain('"input":{"id":12345678901234567890}');
  });

  it('supports documents and stop sequences in addition to a conversation', () => {
    expect([...features]).toEqual(['documents', 'stop-sequences']);
  });

  it.each([429, 500, 503])('sends one request and leaves retries to failover: %i', async (status) => {
    server.respond = (response) => void response.writeHead(status, JSON_TYPE).end('{"message":"no"}');
    await failureOf(call());
    await failureOf(call({ stream: true }));
    expect(server.requests).toHaveLength(2);
  });

  it('fails like a route without its key if there are no credentials, and sends nothing', async () => {
    const client = new BedrockRuntimeClient({
      endpoint: server.origin,
      region: 'us-east-1',
      credentials: async () => {
        throw Object.assign(new Error('no credentials'), { name: 'CredentialsProviderError' });
      },
    });
    const provider = createBedrockProvider({ bedrockClient: () => client });
    const failure = await failureOf(provider.chat(attemptAt(server.origin)));
    expect(failure).toMatchObject({ kind: 'secret', retryable: true });
    expect(server.requests).toEqual([]);
  });
});

it('the client closes the connection if the response is not a stream', async () => {
  server.respond = (response) => void response.writeHead(200, JSON_TYPE).write('{');
  expect(await failureOf(call({ stream: true }))).toMatchObject({ kind: 'protocol' });
  await until(() => server.open === 0);
});

it('a connection that stays open after the last event does not delay the output', async () => {
  server.respond = (response) => void response.writeHead(200, EVENT_STREAM).write(TEXT);
  expect(await eventsOf(call({ stream: true }))).toHaveLength(5);
  server.disconnect();
});

describeFailingRoute({
  server,
  callAt,
  completeBody: JSON.stringify(RESPONSE),
  stream: TEXT,
  errorInStream: Buffer.concat([
    TEXT_PART.subarray(0, -9),
    exceptionFrame('modelStreamErrorException', CANARY),
  ]),
  stranger: '{"output":null}',
  streamType: EVENT_STREAM,
});
