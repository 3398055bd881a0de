/** The guarantees for the connections to a route. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type WireResponder, WireServer } from '../../../platform/testing/connections/wire-server.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import type { FailingRoute } from './failing-route.ts';
import { type Call, EVENT_STREAM, eventsOf, failureOf, JSON_TYPE, streamOf, until } from './http-calls.ts';

/** Declares the tests. */
export function describeConnections(route: FailingRoute): void {
  const { server, callAt, completeBody, stream, otherStreams = [], streamType = EVENT_STREAM } = route;
  const half = stream.subarray(0, stream.length / 2);
  const call = (options: Call = {}) => callAt(server.origin, options);
  const respondPartially = () => {
    server.respond = (response) => void response.writeHead(200, streamType).write(half);
  };

  describe('a call whose time is up', () => {
    const timeout = new UpstreamFailure('timeout');

    it.each([false, true])(
      'ends at once before the response starts, and closes its connection: stream %s',
      async (stream) => {
        server.respond = () => {};
        const controller = new AbortController();
        const work = failureOf(call({ stream, signal: controller.signal }));
        await until(() => server.requests.length === 1);
        controller.abort(timeout);
        expect(await work).toBe(timeout);
        await until(() => server.open === 0);
      },
    );

    it('ends its stream, and releases the connection', async () => {
      respondPartially();
      const controller = new AbortController();
      const response = call({ stream: true, signal: controller.signal });
      await response;
      const work = failureOf(eventsOf(response));
      await pause(20);
      controller.abort(timeout);
      expect(await work).toBe(timeout);
      await until(() => server.open === 0);
    });

    it('makes no request if its time was up before it started', async () => {
      expect(await failureOf(call({ signal: AbortSignal.abort(timeout) }))).toBe(timeout);
      expect(server.requests).toEqual([]);
    });
  });

  describe('a connection', () => {
    const TIMES = 4;

    /** Returns the number of connections that a series of calls opens to a new server. */
    async function connectionsOf(
      respond: WireResponder,
      one: (origin: string, time: number) => Promise<unknown>,
    ): Promise<number> {
      const fresh = new WireServer();
      await fresh.start();
      fresh.respond = respond;
      try {
        for (let time = 0; time < TIMES; time += 1) {
          await one(fresh.origin, time);
          // The last bytes of an answer are read after its last event.
          await pause(20);
        }
        expect(fresh.requests).toHaveLength(TIMES);
        return fresh.connections;
      } finally {
        await fresh.stop();
      }
    }

    it.each([stream, ...otherStreams])('serves the next call after a finished stream (%#)', async (bytes) => {
      const respond: WireResponder = (response) => void response.writeHead(200, streamType).end(bytes);
      expect(await connectionsOf(respond, (origin) => eventsOf(callAt(origin, { stream: true })))).toBe(1);
    });

    it('serves the next call after a complete response', async () => {
      const respond: WireResponder = (response) => void response.writeHead(200, JSON_TYPE).end(completeBody);
      expect(await connectionsOf(respond, (origin) => callAt(origin))).toBe(1);
    });

    it.each([400, 401, 403, 429, 500, 503, 529])(
      'serves the next call after an error response, which is read to its end: %i',
      async (status) => {
        const text = JSON.stringify({ type: 'error', error: { message: 'x'.repeat(60_000), param: null } });
        const respond: WireResponder = (response) => void response.writeHead(status, JSON_TYPE).end(text);
        const fail = (origin: string, time: number) => failureOf(callAt(origin, { stream: time % 2 > 0 }));
        expect(await connectionsOf(respond, fail)).toBe(1);
      },
    );

    it('closes if the consumer of a stream leaves', async () => {
      respondPartially();
      for await (const _event of await streamOf(call({ stream: true }))) break;
      await until(() => server.open === 0);
    });

    it('closes if the caller aborts a failed attempt', async () => {
      server.respond = (response) => void response.writeHead(200, JSON_TYPE).write('{');
      const controller = new AbortController();
      expect(await failureOf(call({ stream: true, signal: controller.signal }))).toMatchObject({
        kind: 'protocol',
      });
      controller.abort();
      await until(() => server.open === 0);
    });
  });
}
