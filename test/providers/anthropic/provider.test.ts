import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { features } from '../../../lambdas/providers/anthropic/provider.ts';
import { CANARY, type Call, EVENT_STREAM, eventsOf, failureOf, JSON_TYPE, streamOf } from '../http-calls.ts';
import { wireServer } from '../wire-server.ts';
import { callAt } from './calling.ts';
import { bytesOf, foreignPayload, IDENTITY, jsonOf } from './fixtures.ts';

const server = wireServer();
const call = (options: Call = {}) => callAt(server.origin, options);

const replyWith = (status: number, headers: Record<string, string>, body: string | Uint8Array) => {
  server.reply = (response) => void response.writeHead(status, headers).end(body);
};
const replyWithStream = (name = 'text') => replyWith(200, EVENT_STREAM, bytesOf(name));
const replyWithJson = () => replyWith(200, JSON_TYPE, JSON.stringify(jsonOf('message')));

describe('a call', () => {
  it('can say image addresses and the protocol’s own blocks beside a conversation', () => {
    expect([...features].sort()).toEqual([
      ...['document-urls', 'documents', 'image-urls', 'messages-blocks', 'stop-sequences'],
    ]);
  });

  it('is one POST to the route’s address, with its key, the protocol’s version and the route’s model', async () => {
    replyWithJson();
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

  it('of a stream asks for an event stream', async () => {
    replyWithStream();
    await eventsOf(call({ stream: true }));
    const [{ headers, body } = { headers: {}, body: '{}' }] = server.requests;
    expect(headers.accept).toBe('text/event-stream');
    expect(JSON.parse(body)).toMatchObject({ stream: true });
  });

  it('of a route without a secret sends no key', async () => {
    replyWithJson();
    await call();
    expect(server.requests[0]?.headers).not.toHaveProperty('x-api-key');
  });

  it('of a route whose secret cannot be read is not made', async () => {
    const failure = await failureOf(call({ secret: 'env:ABSENT' }));
    expect(failure).toMatchObject({ kind: 'secret', retryable: true });
    expect(failure.message).not.toContain(CANARY);
    expect(server.requests).toEqual([]);
  });

  it('keeps the digits of what it sends and of what it gets', async () => {
    const parts = [
      { type: 'tool-call', id: 'c', name: 'f', arguments: '{"n":12345678901234567890}' },
    ] as const;
    const text =
      '{"content":[{"type":"tool_use","id":"a","name":"f","input":{"n":98765432109876543210}}],"stop_reason":"tool_use"}';
    replyWith(200, JSON_TYPE, text);
    const payload = foreignPayload({ turns: [{ role: 'assistant', parts }] });
    expect(JSON.stringify(await call({ payload }))).toContain('{\\"n\\":98765432109876543210}');
    expect(server.requests[0]?.body).toContain('{"n":12345678901234567890}');
  });

  it('answers a caller of the protocol as the provider did', async () => {
    replyWithJson();
    expect(await call()).toMatchObject({
      kind: 'json',
      answer: { body: IDENTITY },
      usage: { promptTokens: 2200 },
    });
    replyWithStream();
    expect((await eventsOf(call({ stream: true }))).map(({ payload }) => payload?.type)).toHaveLength(8);
  });

  it('answers any other in words of no protocol', async () => {
    replyWithJson();
    const whole = await call({ payload: foreignPayload() });
    expect(whole).toMatchObject({ kind: 'json', answer: { reply: { finish: { reason: 'tool-calls' } } } });
    replyWithStream();
    const events = await eventsOf(call({ payload: foreignPayload({}, true) }));
    expect(events.flatMap(({ parts }) => parts ?? []).map(({ type }) => type)).toEqual([
      'start',
      ...['delta', 'delta', 'delta'],
      'end',
      'finish',
    ]);
  });

  it('in JSON mode answers with the input of the tool that it declared', async () => {
    replyWithStream('json-answer');
    const events = await eventsOf(call({ payload: foreignPayload({ format: { type: 'json' } }, true) }));
    const parts = events.flatMap((event) => event.parts ?? []);
    expect(parts.flatMap((part) => (part.type === 'delta' ? part.text : []))).toEqual([
      '{"größe":',
      ' 12345678901234567890}',
    ]);
    const { tools } = JSON.parse(server.requests[0]?.body ?? '{}') as { tools: unknown };
    expect(tools).toEqual([expect.objectContaining({ name: 'json_answer' })]);
  });

  it('answers a stream while it is still being written', async () => {
    const bytes = bytesOf('text');
    let release = () => {};
    server.reply = async (response) => {
      response.writeHead(200, EVENT_STREAM);
      response.write(bytes.subarray(0, 500));
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      response.end(bytes.subarray(500));
    };
    const events = (await streamOf(call({ stream: true })))[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ payload: { type: 'message_start' } });
    release();
    let count = 1;
    while (!(await events.next()).done) count += 1;
    expect(count).toBe(8);
  });
});

describe('a route that fails', () => {
  it('to take a connection can be left for another', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const failure = await failureOf(callAt(`http://127.0.0.1:${port}`));
    expect(failure).toMatchObject({ kind: 'connection', retryable: true });
    expect(failure.message).not.toContain(String(port));
  });

  it('by resetting the connection can be left for another', async () => {
    server.reply = (_response, _request, socket) => void socket.resetAndDestroy();
    expect(await failureOf(call())).toMatchObject({ kind: 'connection', retryable: true });
    expect(server.requests).toHaveLength(1);
  });

  it('within a whole answer can be left for another', async () => {
    server.reply = (response, _request, socket) => {
      response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' });
      response.write('{"content":[', () => socket.destroy());
    };
    expect(await failureOf(call())).toMatchObject({ retryable: true });
  });

  it('within a stream, by a reset, has delivered what came before', async () => {
    server.reply = (response, _request, socket) => {
      response.writeHead(200, EVENT_STREAM);
      response.write(bytesOf('text').subarray(0, 500), () => setTimeout(() => socket.resetAndDestroy(), 20));
    };
    const events = (await streamOf(call({ stream: true })))[Symbol.asyncIterator]();
    expect((await events.next()).done).toBe(false);
    const rest = async () => {
      while (!(await events.next()).done);
    };
    expect(await failureOf(rest())).toMatchObject({ kind: 'interrupted', retryable: true });
  });

  it('by ending a stream before it is finished is not taken for one that finished', async () => {
    replyWith(200, EVENT_STREAM, bytesOf('text').subarray(0, 500));
    expect(await failureOf(eventsOf(call({ stream: true })))).toMatchObject({
      kind: 'interrupted',
      retryable: true,
    });
  });

  it('with an error within a stream repeats none of its text', async () => {
    replyWith(200, EVENT_STREAM, bytesOf('error-in-band'));
    const failure = await failureOf(eventsOf(call({ stream: true })));
    expect(inspect(failure, { depth: null })).not.toContain(CANARY);
  });

  it.each([
    ['a page', 'text/html', '<html>'],
    ['plain JSON', 'application/json', '{"content":[]}'],
    ['no type', '', 'data: {"type":"message_stop"}\n\n'],
  ])('by answering a stream with %s has another protocol', async (_name, type, body) => {
    replyWith(200, type === '' ? {} : { 'content-type': type }, body);
    expect(await failureOf(call({ stream: true }))).toMatchObject({ kind: 'protocol', retryable: true });
  });

  it.each(['<html>', '', '{"content":', '{"content":[]}'])(
    'by answering a whole call with %j has another protocol',
    async (body) => {
      replyWith(200, JSON_TYPE, body);
      expect(await failureOf(call())).toMatchObject({ kind: 'protocol', retryable: true });
    },
  );

  it.each([
    [400, false, 'messages[0].content'],
    [413, false, 'messages[0].content'],
    [401, true, undefined],
    [404, true, undefined],
    [429, true, undefined],
    [500, true, undefined],
    [529, true, undefined],
  ])('with status %i says whether another may try', async (status, retryable, param) => {
    const error = { type: 'some_error', message: `messages.0.content: ${CANARY}` };
    replyWith(status, { ...JSON_TYPE, 'retry-after': '3' }, JSON.stringify({ type: 'error', error }));
    const failure = await failureOf(call({ stream: true }));
    expect(failure).toMatchObject({ kind: 'status', status, retryable, param, retryAfterSeconds: 3 });
    expect(inspect(failure, { depth: null })).not.toContain(CANARY);
  });

  it.each([301, 302, 303, 307, 308])(
    'by sending the prompt elsewhere reaches no host that the catalog does not name (%i)',
    async (status) => {
      replyWith(status, { location: `${server.origin}/elsewhere/messages` }, '');
      expect(await failureOf(call())).toMatchObject({ kind: 'connection', retryable: true });
      expect(server.requests.map(({ path }) => path)).toEqual(['/v1/messages']);
    },
  );
});
