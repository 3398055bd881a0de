import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { UpstreamFailure } from '../../lambdas/core/inference/upstream/provider.ts';
import { callAt as callAnthropic } from './anthropic/calling.ts';
import * as anthropic from './anthropic/fixtures.ts';
import { type Call, EVENT_STREAM, eventsOf, failureOf, JSON_TYPE, streamOf, until } from './http-calls.ts';
import { callAt as callOpenAi } from './openai/calling.ts';
import * as openai from './openai/fixtures.ts';
import { type Reply, WireServer, wireServer } from './wire-server.ts';

/** Each protocol over HTTP, with its calls, streams that end well, and a whole answer. */
const PROTOCOLS = [
  {
    protocol: 'openai',
    callAt: callOpenAi,
    streams: [
      ['with [DONE]', openai.bytesOf('text')],
      ['without [DONE]', openai.bytesOf('without-done')],
    ],
    whole: openai.jsonOf('completion'),
  },
  {
    protocol: 'anthropic',
    callAt: callAnthropic,
    streams: [['with message_stop', anthropic.bytesOf('text')]],
    whole: anthropic.jsonOf('message'),
  },
] as const;

/** A part of each protocol's stream that has some content and no end. */
const PART_BYTES = { openai: 900, anthropic: 500 };

const server = wireServer();

describe.each(PROTOCOLS)('over $protocol', ({ protocol, callAt, streams, whole }) => {
  const call = (options: Call = {}) => callAt(server.origin, options);
  const replyInPart = () => {
    const part = streams[0][1].subarray(0, PART_BYTES[protocol]);
    server.reply = (response) => void response.writeHead(200, EVENT_STREAM).write(part);
  };

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
      replyInPart();
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

    it.each([...streams])('is used again after a finished stream: %s', async (_name, bytes) => {
      const reply: Reply = (response) => void response.writeHead(200, EVENT_STREAM).end(bytes);
      expect(await connectionsOf(reply, (origin) => eventsOf(callAt(origin, { stream: true })))).toBe(1);
    });

    it('is used again after a whole answer', async () => {
      const text = JSON.stringify(whole);
      const reply: Reply = (response) => void response.writeHead(200, JSON_TYPE).end(text);
      expect(await connectionsOf(reply, (origin) => callAt(origin))).toBe(1);
    });

    it.each([400, 401, 429, 500, 503, 529])(
      'is used again after an error answer, which is read to its end: %i',
      async (status) => {
        const text = JSON.stringify({ type: 'error', error: { message: 'x'.repeat(60_000), param: null } });
        const reply: Reply = (response) => void response.writeHead(status, JSON_TYPE).end(text);
        expect(await connectionsOf(reply, (origin) => failureOf(callAt(origin)))).toBe(1);
      },
    );

    it('is let go of when the reader of a stream leaves', async () => {
      replyInPart();
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
});
