import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { ReplyEvent } from '../../../lambdas/core/inference/upstream/provider.ts';
import { CANARY, type Call, EVENT_STREAM, eventsOf, failureOf, JSON_TYPE, streamOf } from '../http-calls.ts';
import { wireServer } from '../wire-server.ts';
import { callAt } from './calling.ts';
import { bytesOf, IDENTITY, jsonOf } from './fixtures.ts';

const server = wireServer();
const call = (options: Call = {}) => callAt(server.origin, options);

const replyWith = (status: number, headers: Record<string, string>, body: string | Uint8Array) => {
  server.reply = (response) => void response.writeHead(status, headers).end(body);
};
const replyWithStream = () => replyWith(200, EVENT_STREAM, bytesOf('text'));
const replyWithJson = () => replyWith(200, JSON_TYPE, JSON.stringify(jsonOf('completion')));

describe('a call', () => {
  it('is one POST to the route’s address, with its key and its model', async () => {
    replyWithJson();
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

  it('of a stream asks for an event stream and for usage', async () => {
    replyWithStream();
    await eventsOf(call({ stream: true }));
    const [{ headers, body } = { headers: {}, body: '{}' }] = server.requests;
    expect(headers.accept).toBe('text/event-stream');
    expect(JSON.parse(body)).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it('of a route without a secret sends no key', async () => {
    replyWithJson();
    await call();
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('of a route whose secret cannot be read is not made', async () => {
    const failure = await failureOf(call({ secret: 'env:ABSENT' }));
    expect(failure).toMatchObject({ kind: 'secret', retryable: true });
    expect(failure.message).not.toContain(CANARY);
    expect(server.requests).toEqual([]);
  });

  it('answers a whole completion', async () => {
    replyWithJson();
    expect(await call()).toMatchObject({
      kind: 'json',
      answer: { body: { ...IDENTITY } },
      usage: { promptTokens: 19 },
    });
  });

  it('answers a stream while it is still being written', async () => {
    const bytes = bytesOf('text');
    let release = () => {};
    server.reply = async (response) => {
      response.writeHead(200, EVENT_STREAM);
      response.write(bytes.subarray(0, 900));
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      response.end(bytes.subarray(900));
    };
    const events = (await streamOf(call({ stream: true })))[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ content: false });
    release();
    const rest: ReplyEvent[] = [];
    for (let next = await events.next(); !next.done; next = await events.next()) rest.push(next.value);
    expect(rest).toHaveLength(6);
  });

  it('takes an event stream whatever the parameters of its type', async () => {
    replyWith(200, { 'content-type': 'Text/Event-Stream; charset=UTF-8' }, bytesOf('text'));
    expect(await eventsOf(call({ stream: true }))).toHaveLength(7);
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
      response.write('{"choices":[', () => socket.destroy());
    };
    expect(await failureOf(call())).toMatchObject({ retryable: true });
  });

  it('within a stream, by a reset, has delivered what came before', async () => {
    server.reply = (response, _request, socket) => {
      response.writeHead(200, EVENT_STREAM);
      response.write(bytesOf('text').subarray(0, 900), () => setTimeout(() => socket.resetAndDestroy(), 20));
    };
    const events = (await streamOf(call({ stream: true })))[Symbol.asyncIterator]();
    expect((await events.next()).done).toBe(false);
    const rest = async () => {
      while (!(await events.next()).done);
    };
    expect(await failureOf(rest())).toMatchObject({ kind: 'interrupted', retryable: true });
  });

  it('by ending a stream before it is finished is not taken for one that finished', async () => {
    replyWith(200, EVENT_STREAM, bytesOf('text').subarray(0, 900));
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

  it('with garbage within a stream fails as an upstream', async () => {
    replyWith(200, EVENT_STREAM, 'data: {"choices":[null]}\n\n');
    expect(await failureOf(eventsOf(call({ stream: true })))).toMatchObject({ retryable: true });
  });

  it.each([
    ['a page', 'text/html', '<html>'],
    ['plain JSON', 'application/json', '{"choices":[]}'],
    ['no type', '', 'data: [DONE]\n\n'],
  ])('by answering a stream with %s has another protocol', async (_name, type, body) => {
    replyWith(200, type === '' ? {} : { 'content-type': type }, body);
    expect(await failureOf(call({ stream: true }))).toMatchObject({ kind: 'protocol', retryable: true });
  });

  it.each(['<html>', '', '{"choices":', 'data: [DONE]\n\n'])(
    'by answering a whole call with %j has another protocol',
    async (body) => {
      replyWith(200, { 'content-type': 'text/html' }, body);
      expect(await failureOf(call())).toMatchObject({ kind: 'protocol', retryable: true });
    },
  );

  it('by answering nothing at all has another protocol', async () => {
    server.reply = (response) => void response.writeHead(204).end();
    expect(await failureOf(call())).toMatchObject({ kind: 'protocol' });
    expect(await failureOf(call({ stream: true }))).toMatchObject({ kind: 'protocol' });
  });

  it('by its status says so without its text', async () => {
    replyWith(429, { ...JSON_TYPE, 'retry-after': '3' }, JSON.stringify({ error: { message: CANARY } }));
    const failure = await failureOf(call({ stream: true }));
    expect(failure).toMatchObject({ kind: 'status', status: 429, retryAfterSeconds: 3, retryable: true });
    expect(inspect(failure, { depth: null })).not.toContain(CANARY);
  });

  it.each([301, 302, 303, 307, 308])(
    'by redirecting is not followed: the prompt goes to no host that the catalog does not name (%i)',
    async (status) => {
      replyWith(status, { location: `${server.origin}/elsewhere/chat/completions` }, '');
      expect(await failureOf(call())).toMatchObject({ kind: 'connection', retryable: true });
      expect(server.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions']);
    },
  );
});
