/** The guarantees for a route over HTTP: how it is called, and how it fails. */
import { describe, expect, it } from '@jest/globals';
import { WireServer } from '../../../platform/testing/connections/wire-server.ts';
import type { RouteEvent, RouteResponse } from '../../core/upstream/provider.ts';
import { describeConnections } from './connections.ts';
import {
  CANARY,
  type Call,
  EVENT_STREAM,
  eventsOf,
  everythingIn,
  failureOf,
  JSON_TYPE,
  streamOf,
} from './http-calls.ts';

export interface FailingRoute {
  readonly server: WireServer;
  readonly callAt: (origin: string, call?: Call) => Promise<RouteResponse>;
  /** A whole answer. */
  readonly completeBody: string;
  /** A streamed answer; its first half has an event, and not the last one. */
  readonly stream: Uint8Array;
  /** Streams that end in other ways. */
  readonly otherStreams?: readonly Uint8Array[];
  /** A stream with an error in it that says `CANARY`. */
  readonly errorInStream: Uint8Array | string;
  /** JSON that is no answer of the protocol. */
  readonly stranger: string;
  readonly streamType?: Readonly<Record<string, string>>;
}

const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'];

/** Declares the tests of a route that is called by `fetch`. */
export function describeFetchedRoute({ server, callAt }: Pick<FailingRoute, 'server' | 'callAt'>): void {
  it('a response with a status without content causes a protocol failure', async () => {
    server.respond = (response) => void response.writeHead(204).end();
    expect(await failureOf(callAt(server.origin))).toMatchObject({ kind: 'protocol' });
    expect(await failureOf(callAt(server.origin, { stream: true }))).toMatchObject({ kind: 'protocol' });
  });

  it.each([301, 302, 303, 307, 308])(
    'a route receives no second request at the address of a redirect (%i)',
    async (status) => {
      server.respond = (response) =>
        void response.writeHead(status, { location: `${server.origin}/elsewhere` }).end();
      expect(await failureOf(callAt(server.origin))).toMatchObject({ kind: 'connection', retryable: true });
      expect(server.requests).toHaveLength(1);
      expect(server.requests[0]?.path).not.toBe('/elsewhere');
    },
  );

  describe('the key of a route', () => {
    it('goes into no request if the route has none', async () => {
      server.respond = (response) => void response.writeHead(503).end();
      await failureOf(callAt(server.origin));
      const names = server.requests.flatMap(({ headers }) => Object.keys(headers));
      expect(names).toContain('accept');
      expect(names.filter((name) => KEY_HEADERS.includes(name))).toEqual([]);
    });

    it('permits another route if it cannot be read, and then nothing is sent', async () => {
      const failure = await failureOf(callAt(server.origin, { secret: 'env:ABSENT' }));
      expect(failure).toMatchObject({ kind: 'secret', retryable: true });
      expect(failure.message).not.toContain(CANARY);
      expect(server.requests).toEqual([]);
    });
  });
}

/** Declares the tests; those of one protocol alone stand beside the call. */
export function describeFailingRoute(route: FailingRoute): void {
  const { server, callAt, completeBody, stream, errorInStream, stranger, streamType = EVENT_STREAM } = route;
  const call = (options: Call = {}) => callAt(server.origin, options);
  const half = stream.subarray(0, stream.length / 2);
  const respondWith = (status: number, headers: Record<string, string>, body: string | Uint8Array) => {
    server.respond = (response) => void response.writeHead(status, headers).end(body);
  };

  describeConnections(route);

  it('a route returns a stream while it is still being written', async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    server.respond = async (response) => {
      response.writeHead(200, streamType).write(half);
      await promise;
      response.end(stream.subarray(half.length));
    };
    const events = (await streamOf(call({ stream: true })))[Symbol.asyncIterator]();
    expect((await events.next()).done).toBe(false);
    release();
    let last: RouteEvent | undefined;
    for (let next = await events.next(); !next.done; next = await events.next()) last = next.value;
    expect(last).toBeDefined();
  });

  describe('a route that fails', () => {
    it('permits another route if it accepts no connection', async () => {
      const closed = new WireServer();
      await closed.start();
      const { origin } = closed;
      await closed.stop();
      const failure = await failureOf(callAt(origin));
      expect(failure).toMatchObject({ kind: 'connection', retryable: true });
      expect(failure.message).not.toContain(new URL(origin).port);
    });

    it('permits another route if it resets the connection', async () => {
      server.respond = (_response, _request, socket) => void socket.resetAndDestroy();
      expect(await failureOf(call())).toMatchObject({ kind: 'connection', retryable: true });
      expect(server.requests).toHaveLength(1);
    });

    it('permits an attempt on another route if it fails within a complete response', async () => {
      server.respond = (response, _request, socket) => {
        response.writeHead(200, { ...JSON_TYPE, 'content-length': String(completeBody.length + 1_000) });
        response.write(completeBody.slice(0, 12), () => socket.destroy());
      };
      expect(await failureOf(call())).toMatchObject({ kind: 'connection', retryable: true });
    });

    it('delivers the output before a reset within a stream', async () => {
      server.respond = (response, _request, socket) => {
        response.writeHead(200, streamType).write(half, () => setTimeout(() => socket.resetAndDestroy(), 20));
      };
      const events = (await streamOf(call({ stream: true })))[Symbol.asyncIterator]();
      expect((await events.next()).done).toBe(false);
      const rest = async () => {
        while (!(await events.next()).done);
      };
      expect(await failureOf(rest())).toMatchObject({ kind: 'interrupted', retryable: true });
    });

    it('causes an interruption if it ends a stream before its finish', async () => {
      respondWith(200, streamType, half);
      expect(await failureOf(eventsOf(call({ stream: true })))).toMatchObject({
        kind: 'interrupted',
        retryable: true,
      });
      respondWith(200, streamType, stream);
      expect((await eventsOf(call({ stream: true }))).length).toBeGreaterThan(1);
    });

    it('causes a failure without its text if it sends an error within a stream', async () => {
      respondWith(200, streamType, errorInStream);
      const failure = await failureOf(eventsOf(call({ stream: true })));
      expect(Buffer.from(errorInStream).toString()).toContain(CANARY);
      expect(everythingIn(failure)).not.toContain(CANARY);
    });

    it.each([
      ['a page', 'text/html', '<html>'],
      ['plain JSON', 'application/json', stranger],
    ])('causes a protocol failure if it responds to a stream with %s', async (_name, type, body) => {
      respondWith(200, { 'content-type': type }, body);
      expect(await failureOf(call({ stream: true }))).toMatchObject({ kind: 'protocol', retryable: true });
    });

    it.each([
      ['plain text', { 'content-type': 'text/plain; charset=utf-8' }],
      ['no type', {}],
    ])('succeeds with events under %s, and fails with frames of bytes under it', async (_name, type) => {
      respondWith(200, type, stream);
      const events = eventsOf(call({ stream: true }));
      if (streamType['content-type'].startsWith('text/')) expect((await events).length).toBeGreaterThan(1);
      else expect(await failureOf(events)).toMatchObject({ kind: 'protocol', retryable: true });
    });

    it.each([
      ['a page', 'text/html', '<html>'],
      ['nothing', 'application/json', ''],
      ['half of it', 'application/json', completeBody.slice(0, completeBody.length / 2)],
      ['JSON of another kind', 'application/json', stranger],
      ['events', 'text/event-stream', 'data: [DONE]\n\n'],
    ])('causes a protocol failure if it responds to a complete call with %s', async (_name, type, body) => {
      respondWith(200, { 'content-type': type }, body);
      expect(await failureOf(call())).toMatchObject({ kind: 'protocol', retryable: true });
    });

    it('causes a failure with its status and retry time, and without its text', async () => {
      const error = { code: 429, type: 'some_error', message: CANARY };
      respondWith(429, { ...JSON_TYPE, 'retry-after': '3' }, JSON.stringify({ type: 'error', error }));
      const failure = await failureOf(call({ stream: true }));
      expect(failure).toMatchObject({ kind: 'status', status: 429, retryAfterSeconds: 3, retryable: true });
      expect(everythingIn(failure)).not.toContain(CANARY);
    });
  });
}
