import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { UpstreamFailure } from '../../../lambdas/core/inference/upstream/provider.ts';
import {
  type Call,
  callAt,
  EVENT_STREAM,
  eventsOf,
  failureOf,
  JSON_TYPE,
  streamOf,
  until,
} from './calling.ts';
import { bytesOf, jsonOf } from './fixtures.ts';
import { type Reply, WireServer, wireServer } from './wire-server.ts';

const server = wireServer();
const call = (options: Call = {}) => callAt(server.origin, options);

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
    const reply = call({ stream: true, signal: controller.signal });
    await reply;
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

  /** How many connections a number of calls make, one after another, to a server that nobody has called before. */
  async function connectionsOf(reply: Reply, one: (origin: string) => Promise<unknown>): Promise<number> {
    const fresh = new WireServer();
    await fresh.start();
    fresh.reply = reply;
    try {
      for (let time = 0; time < TIMES; time += 1) {
        await one(fresh.origin);
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
    expect(await connectionsOf(reply, (origin) => eventsOf(callAt(origin, { stream: true })))).toBe(1);
  });

  it('is used again after a stream whose server leaves out [DONE]', async () => {
    const reply: Reply = (response) =>
      void response.writeHead(200, EVENT_STREAM).end(bytesOf('without-done'));
    expect(await connectionsOf(reply, (origin) => eventsOf(callAt(origin, { stream: true })))).toBe(1);
  });

  it('is used again after a whole answer', async () => {
    const text = JSON.stringify(jsonOf('completion'));
    const reply: Reply = (response) => void response.writeHead(200, JSON_TYPE).end(text);
    expect(await connectionsOf(reply, (origin) => callAt(origin))).toBe(1);
  });

  it.each([400, 401, 429, 500, 503])(
    'is used again after an error answer, which is read to its end: %i',
    async (status) => {
      const text = JSON.stringify({ error: { message: 'x'.repeat(60_000), param: null } });
      const reply: Reply = (response) => void response.writeHead(status, JSON_TYPE).end(text);
      expect(await connectionsOf(reply, (origin) => failureOf(callAt(origin)))).toBe(1);
    },
  );

  it('is let go of when the reader of a stream leaves', async () => {
    server.reply = (response) =>
      void response.writeHead(200, EVENT_STREAM).write(bytesOf('text').subarray(0, 900));
    for await (const _event of await streamOf(call({ stream: true }))) break;
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
