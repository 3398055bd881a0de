import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import {
  type CatalogDocument,
  parseCatalog,
  type Route,
} from '../../../lambdas/core/inference/catalog-document.ts';
import {
  type Attempt,
  type Reply as ProviderReply,
  type ReplyEvent,
  UpstreamFailure,
} from '../../../lambdas/core/inference/provider.ts';
import { createOpenAiProvider } from '../../../lambdas/providers/openai/provider.ts';
import { bytesOf, IDENTITY, jsonOf } from './fixtures.ts';
import { type Reply, WireServer, wireServer } from './wire-server.ts';

const server = wireServer();
const CANARY = 'heron-7f3a';

/** Long enough for this machine to notice that a connection has closed. */
const PATIENCE_MS = 2_000;

const provider = createOpenAiProvider({
  fetch,
  readSecret: async (reference) => {
    if (reference === 'env:ABSENT') throw new Error(`there is no secret ${CANARY}`);
    return `key-of-${reference}`;
  },
});

/** A route as the catalog would hold it. */
function routeTo(baseUrl: string, secret?: string): Route {
  const document: CatalogDocument = parseCatalog({
    models: [
      {
        id: 'sim/chat',
        type: 'chat',
        owned_by: 'sim',
        created: 1,
        price: { unit: 'per_million_tokens', input: 1, output: 1 },
        routes: [
          {
            id: 'sim-a',
            protocol: 'openai',
            base_url: baseUrl,
            upstream_model: 'upstream-model',
            ...(secret === undefined ? {} : { secret }),
          },
        ],
      },
    ],
  });
  const [route] = document.models[0]?.routes ?? [];
  if (route === undefined) throw new Error('the catalog has no route');
  return route;
}

interface Call {
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
  readonly secret?: string;
  readonly baseUrl?: string;
}

function call({
  stream = false,
  signal = new AbortController().signal,
  secret,
  baseUrl,
}: Call = {}): Promise<ProviderReply> {
  const attempt: Attempt = {
    route: routeTo(baseUrl ?? `${server.origin}/v1`, secret),
    payload: {
      surface: 'openai',
      body: { model: 'sim/chat', messages: [{ role: 'user', content: 'Grüße' }], seed: 7 },
      stream,
      needs: [],
    },
    identity: IDENTITY,
    signal,
  };
  return provider.chat(attempt);
}

const failureOf = async (work: Promise<unknown>): Promise<UpstreamFailure> => {
  const failure = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(failure instanceof UpstreamFailure)) throw new Error(`not an upstream failure: ${inspect(failure)}`);
  return failure;
};

async function eventsOf(reply: ProviderReply | Promise<ProviderReply>): Promise<ReplyEvent[]> {
  const { kind, ...rest } = await reply;
  if (kind !== 'stream') throw new Error('the reply is no stream');
  const all: ReplyEvent[] = [];
  for await (const event of (rest as Extract<ProviderReply, { kind: 'stream' }>).events) all.push(event);
  return all;
}

const replyWith = (status: number, headers: Record<string, string>, body: string | Uint8Array) => {
  server.reply = (response) => void response.writeHead(status, headers).end(body);
};

const EVENT_STREAM = { 'content-type': 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };
const replyWithStream = () => replyWith(200, EVENT_STREAM, bytesOf('text'));
const replyWithJson = () => replyWith(200, JSON_TYPE, JSON.stringify(jsonOf('completion')));

async function until(done: () => boolean): Promise<void> {
  for (const start = Date.now(); !done(); await pause(5))
    if (Date.now() - start > PATIENCE_MS) throw new Error('waited in vain');
}

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
    expect(await call()).toMatchObject({ kind: 'json', body: { ...IDENTITY }, usage: { promptTokens: 19 } });
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
    const reply = await call({ stream: true });
    if (reply.kind !== 'stream') throw new Error('the reply is no stream');
    const events = reply.events[Symbol.asyncIterator]();
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
    const failure = await failureOf(call({ baseUrl: `http://127.0.0.1:${port}/v1` }));
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
    const reply = await call({ stream: true });
    if (reply.kind !== 'stream') throw new Error('the reply is no stream');
    const events = reply.events[Symbol.asyncIterator]();
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

describe('a call whose time is up', () => {
  const timeout = new UpstreamFailure('timeout');

  it('before the answer begins ends at once, and lets go of its connection', async () => {
    server.reply = () => {};
    const controller = new AbortController();
    const work = failureOf(call({ signal: controller.signal }));
    await until(() => server.requests.length === 1);
    controller.abort(timeout);
    expect(await work).toBe(timeout);
    await until(() => server.open === 0);
  });

  it('within a stream ends it, and lets go of its connection', async () => {
    server.reply = (response) =>
      void response.writeHead(200, EVENT_STREAM).write(bytesOf('text').subarray(0, 900));
    const controller = new AbortController();
    const reply = await call({ stream: true, signal: controller.signal });
    const work = failureOf(eventsOf(reply));
    await pause(20);
    controller.abort(timeout);
    expect((await work).retryable).toBe(true);
    await until(() => server.open === 0);
  });

  it('before it began makes no request', async () => {
    expect(await failureOf(call({ signal: AbortSignal.abort(timeout) }))).toBe(timeout);
    expect(server.requests).toEqual([]);
  });
});

describe('a connection', () => {
  const TIMES = 4;

  /** How many connections so many calls make, one after another, to a server that nobody has called before. */
  async function connectionsOf(reply: Reply, one: (baseUrl: string) => Promise<unknown>): Promise<number> {
    const fresh = new WireServer();
    await fresh.start();
    fresh.reply = reply;
    try {
      for (let time = 0; time < TIMES; time += 1) {
        await one(`${fresh.origin}/v1`);
        // The last bytes of an answer are read after its last event.
        await pause(20);
      }
      expect(fresh.requests).toHaveLength(TIMES);
      return fresh.connections;
    } finally {
      await fresh.stop();
    }
  }

  it('is used again after a finished stream', async () => {
    const reply: Reply = (response) => void response.writeHead(200, EVENT_STREAM).end(bytesOf('text'));
    expect(await connectionsOf(reply, (baseUrl) => eventsOf(call({ stream: true, baseUrl })))).toBe(1);
  });

  it('is used again after a stream whose server leaves out [DONE]', async () => {
    const reply: Reply = (response) =>
      void response.writeHead(200, EVENT_STREAM).end(bytesOf('without-done'));
    expect(await connectionsOf(reply, (baseUrl) => eventsOf(call({ stream: true, baseUrl })))).toBe(1);
  });

  it('is used again after a whole answer', async () => {
    const text = JSON.stringify(jsonOf('completion'));
    const reply: Reply = (response) => void response.writeHead(200, JSON_TYPE).end(text);
    expect(await connectionsOf(reply, (baseUrl) => call({ baseUrl }))).toBe(1);
  });

  it.each([400, 401, 429, 500, 503])(
    'is used again after an error answer, which is read to its end: %i',
    async (status) => {
      const text = JSON.stringify({ error: { message: 'x'.repeat(60_000), param: null } });
      const reply: Reply = (response) => void response.writeHead(status, JSON_TYPE).end(text);
      expect(await connectionsOf(reply, (baseUrl) => failureOf(call({ baseUrl })))).toBe(1);
    },
  );

  it('is let go of when the reader of a stream leaves', async () => {
    server.reply = (response) =>
      void response.writeHead(200, EVENT_STREAM).write(bytesOf('text').subarray(0, 900));
    const reply = await call({ stream: true });
    if (reply.kind !== 'stream') throw new Error('the reply is no stream');
    for await (const _event of reply.events) break;
    await until(() => server.open === 0);
  });

  it('is let go of when an attempt that failed is given up', async () => {
    server.reply = (response) => void response.writeHead(200, JSON_TYPE).write('{');
    const controller = new AbortController();
    expect(await failureOf(call({ stream: true, signal: controller.signal }))).toMatchObject({
      kind: 'protocol',
    });
    controller.abort();
    await until(() => server.open === 0);
  });
});
