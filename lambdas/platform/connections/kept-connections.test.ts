import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvokeModelCommand } from '@aws-sdk/client-bedrock-runtime';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createBedrockClients } from '../../inference/store/bedrock-clients.ts';
import type { UpstreamRequestInit } from '../core/ports.ts';
import { RESPONSE, Upstream } from '../testing/connections/upstream.ts';
import { ConnectionPool, type PoolOptions } from './connection-pool.ts';
import { createExchange } from './http-exchange.ts';
import { createUpstreamFetch } from './upstream-fetch.ts';

const upstreams: Upstream[] = [];

afterEach(async () => {
  await Promise.all(upstreams.splice(0).map((upstream) => upstream.stop()));
});

async function upstreamThat(respond: Upstream['onRequest']): Promise<Upstream> {
  const upstream = await Upstream.start(respond);
  upstreams.push(upstream);
  return upstream;
}

/** Posts over a pool of its own. */
function client(options: PoolOptions = {}, now?: () => number) {
  let repeated = 0;
  const fetch = createUpstreamFetch(
    createExchange(
      new ConnectionPool(options),
      () => {
        repeated += 1;
      },
      now,
    ),
  );
  const post = async (url: string, init: UpstreamRequestInit = {}) => {
    const response = await fetch(url, { method: 'POST', body: '{"x":1}', ...init });
    const text = await response.text();
    // The connection is free a moment after its answer has ended.
    await sleep(20);
    return text;
  };
  return { post, repeated: () => repeated };
}

/** Serves the first request of each connection, and does something else with further ones. */
const thenEach =
  (respond: (socket: Socket) => unknown): Upstream['onRequest'] =>
  ({ socket, requestOfConnection }) =>
    requestOfConnection === 1 ? socket.write(RESPONSE) : respond(socket);

const serving = ({ socket }: { readonly socket: Socket }) => void socket.write(RESPONSE);

describe('an idle connection that is reused', () => {
  it.each(['resets', 'ends'] as const)(
    'costs no call if its server %s when the second request comes: the request is sent again',
    async (how) => {
      const upstream = await upstreamThat(
        thenEach((socket) => (how === 'resets' ? socket.resetAndDestroy() : socket.end())),
      );
      const { post, repeated } = client();
      for (let call = 0; call < 4; call += 1) expect(await post(upstream.url)).toBe('{}');
      expect(repeated()).toBe(3);
      expect(upstream.connections).toBe(4);
      expect(new Set(upstream.bodies)).toEqual(new Set(['{"x":1}']));
    },
  );

  it('costs no call of Bedrock’s client either, which by itself sends each request once', async () => {
    const response = JSON.stringify({ embedding: [1], inputTextTokenCount: 1 });
    const upstream = await upstreamThat(({ socket, requestOfConnection }) => {
      if (requestOfConnection > 1) socket.resetAndDestroy();
      else
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${response.length}\r\n\r\n${response}`,
        );
    });
    let repeated = 0;
    const exchange = createExchange(new ConnectionPool(), () => {
      repeated += 1;
    });
    const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
    const bedrock = createBedrockClients({ region: 'us-east-1', credentials }, exchange).client(upstream.url);
    for (let call = 0; call < 3; call += 1) {
      const { body } = await bedrock.send(new InvokeModelCommand({ modelId: 'm', body: '{}' }));
      expect(body.transformToString()).toBe(response);
      await sleep(20);
    }
    expect([repeated, upstream.connections]).toEqual([2, 3]);
  });

  it('passes its request to a new connection, not to another old one', async () => {
    let isDead = false;
    const upstream = await upstreamThat(async ({ socket, requestOfConnection }) => {
      if (isDead && requestOfConnection > 1) return void socket.resetAndDestroy();
      await upstream.until(() => upstream.requests >= 3);
      socket.write(RESPONSE);
    });
    const { post, repeated } = client();
    await Promise.all([1, 2, 3].map(() => post(upstream.url)));
    isDead = true;
    expect(await post(upstream.url)).toBe('{}');
    expect([upstream.connections, repeated()]).toEqual([4, 1]);
  });

  it('allows one repetition: the call fails if the server resets the new connection too', async () => {
    let isDead = false;
    const upstream = await upstreamThat(({ socket }) =>
      isDead ? void socket.resetAndDestroy() : void socket.write(RESPONSE),
    );
    const { post, repeated } = client();
    await post(upstream.url);
    isDead = true;
    await expect(post(upstream.url)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect([upstream.requests, repeated()]).toEqual([3, 1]);
  });

  it.each([
    ['the first byte of an answer', 'H'],
    ['an interim answer', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['the head of an answer', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n'],
  ])('causes no repetition if it breaks after %s', async (_, part) => {
    const upstream = await upstreamThat(thenEach((socket) => socket.end(part)));
    const { post, repeated } = client();
    await post(upstream.url);
    await expect(post(upstream.url)).rejects.toBeDefined();
    expect([upstream.requests, repeated()]).toEqual([2, 0]);
  });

  it.each([
    [1_999, 1],
    [2_000, 0],
  ])(
    'breaks after %d ms, in which its server may have worked, and the request is repeated %d times',
    async (ms, times) => {
      let now = 0;
      const upstream = await upstreamThat(
        thenEach((socket) => {
          now += ms;
          socket.resetAndDestroy();
        }),
      );
      const { post, repeated } = client({}, () => now);
      await post(upstream.url);
      const [outcome] = await Promise.allSettled([post(upstream.url)]);
      expect(outcome.status).toBe(times === 1 ? 'fulfilled' : 'rejected');
      expect([upstream.requests, repeated()]).toEqual([2 + times, times]);
    },
  );

  it('causes no repetition if the body can be read only once', async () => {
    const upstream = await upstreamThat(thenEach((socket) => socket.resetAndDestroy()));
    const { post, repeated } = client();
    await post(upstream.url);
    const body = new Blob(['{}']).stream();
    const init = { body, duplex: 'half', headers: { 'content-length': '2' } } as UpstreamRequestInit;
    await expect(post(upstream.url, init)).rejects.toBeDefined();
    expect([upstream.requests, repeated()]).toEqual([2, 0]);
  });

  it('causes no repetition if the call has ended', async () => {
    const upstream = await upstreamThat(thenEach(() => {}));
    const { post, repeated } = client();
    await post(upstream.url);
    const reason = new Error('time is up');
    const controller = new AbortController();
    const work = post(upstream.url, { signal: controller.signal });
    await upstream.until(() => upstream.requests === 2);
    controller.abort(reason);
    await expect(work).rejects.toBe(reason);
    expect(repeated()).toBe(0);
  });
});

describe('a new connection', () => {
  it('fails the call if it is reset', async () => {
    const upstream = await upstreamThat(({ socket }) => void socket.resetAndDestroy());
    const { post, repeated } = client();
    await expect(post(upstream.url)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect([upstream.requests, repeated()]).toEqual([1, 0]);
  });

  it('fails the call if a server does not accept it in time', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    // A TLS handshake that never comes is a connection that is not there.
    const { post } = client({ connectMs: 100 });
    await expect(post(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    server.close();
  });

  it('serves the call if it was established in time while the process was suspended', async () => {
    const upstream = await upstreamThat(serving);
    const connectMs = 50;
    const { post } = client({ connectMs });
    const response = post(upstream.url);
    // The system accepts it at once; this process learns of it later than its timer was to run.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4 * connectMs);
    await response;
    expect(upstream.connections).toBe(1);
  });
});

describe('an idle connection', () => {
  it.each([
    ['the wall clock', 0],
    ['the monotonic clock', 1],
  ])('stays unused if %s shows that it was idle for too long', async (_, which) => {
    const upstream = await upstreamThat(serving);
    const nows = [1_000, 1_000];
    const { post } = client({ clocks: nows.map((_, index) => () => nows[index] ?? 0) });
    await post(upstream.url);
    nows[which] = 1_000 + 3_999;
    await post(upstream.url);
    expect(upstream.connections).toBe(1);
    nows[which] += 4_000;
    await post(upstream.url);
    expect(upstream.connections).toBe(2);
  });

  it('expires before the timeout that its server announces', async () => {
    const head = 'HTTP/1.1 200 OK\r\nconnection: keep-alive\r\nkeep-alive: timeout=2\r\ncontent-length: 2';
    const upstream = await upstreamThat(({ socket }) => void socket.write(`${head}\r\n\r\n{}`));
    let now = 0;
    const { post } = client({ clocks: [() => now] });
    await post(upstream.url);
    now = 999;
    await post(upstream.url);
    expect(upstream.connections).toBe(1);
    now += 1_000;
    await post(upstream.url);
    expect(upstream.connections).toBe(2);
  });

  it('expires if its time passed while the process was suspended', async () => {
    // Whatever lies between has forgotten the connection by then, and answers nothing on it.
    const upstream = await upstreamThat(thenEach(() => {}));
    const { post } = client({ idleMs: 400 });
    await post(upstream.url);
    // No timer runs meanwhile, and none runs before the next call begins.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    expect(await post(upstream.url)).toBe('{}');
    expect(upstream.connections).toBe(2);
  });
});
