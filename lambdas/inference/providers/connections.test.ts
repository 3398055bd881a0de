import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type RouteResponse as ProviderReply, UpstreamFailure } from '../core/upstream/provider.ts';
import { callAt as callAnthropic } from '../testing/providers/anthropic/calling.ts';
import * as anthropic from '../testing/providers/anthropic/fixtures.ts';
import * as bedrock from '../testing/providers/bedrock/calling.ts';
import * as frames from '../testing/providers/bedrock/frames.ts';
import { callAt as callGemini } from '../testing/providers/gemini/calling.ts';
import * as gemini from '../testing/providers/gemini/fixtures.ts';
import {
  EVENT_STREAM,
  eventsOf,
  failureOf,
  JSON_TYPE,
  streamOf,
  until,
} from '../testing/providers/http-calls.ts';
import { callAt as callOpenAi } from '../testing/providers/openai/calling.ts';
import * as openai from '../testing/providers/openai/fixtures.ts';
import { type WireResponder, WireServer, wireServer } from '../testing/providers/wire-server.ts';

interface Call {
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
}

interface Protocol {
  readonly protocol: string;
  /** One chat call to the server at an origin. */
  readonly callAt: (origin: string, call?: Call) => Promise<ProviderReply>;
  readonly streamType: Readonly<Record<string, string>>;
  /** Streams that end well. */
  readonly streams: readonly (readonly [ending: string, bytes: Uint8Array])[];
  /** A part of a stream that has some content and no end. */
  readonly part: Uint8Array;
  readonly completeBody: object;
}

const PROTOCOLS: readonly Protocol[] = [
  {
    protocol: 'openai',
    callAt: callOpenAi,
    streamType: EVENT_STREAM,
    streams: [
      ['with [DONE]', openai.bytesOf('text')],
      ['without [DONE]', openai.bytesOf('without-done')],
    ],
    part: openai.bytesOf('text').subarray(0, 900),
    completeBody: openai.jsonOf('completion'),
  },
  {
    protocol: 'anthropic',
    callAt: callAnthropic,
    streamType: EVENT_STREAM,
    streams: [['with message_stop', anthropic.bytesOf('text')]],
    part: anthropic.bytesOf('text').subarray(0, 500),
    completeBody: anthropic.jsonOf('message'),
  },
  {
    protocol: 'bedrock',
    callAt: bedrock.callAt,
    streamType: bedrock.EVENT_STREAM,
    streams: [['with metadata', frames.TEXT]],
    part: frames.TEXT_PART,
    completeBody: bedrock.RESPONSE,
  },
  {
    protocol: 'gemini',
    callAt: callGemini,
    streamType: EVENT_STREAM,
    streams: [['with a reason and its usage', gemini.bytesOf(gemini.EVENTS)]],
    part: gemini.bytesOf(gemini.EVENTS.slice(0, 2)),
    completeBody: gemini.RESPONSE,
  },
];

const server = wireServer();

describe.each(PROTOCOLS)('over $protocol', ({ callAt, streamType, streams, part, completeBody }) => {
  const call = (options: Call = {}) => callAt(server.origin, options);
  const respondPartially = () => {
    server.respond = (response) => void response.writeHead(200, streamType).write(part);
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

    it('within a stream ends it, and lets go of its connection', async () => {
      respondPartially();
      const controller = new AbortController();
      const respond = call({ stream: true, signal: controller.signal });
      await respond;
      const work = failureOf(eventsOf(respond));
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

    it.each([...streams])('serves the next call after a finished stream: %s', async (_name, bytes) => {
      const respond: WireResponder = (response) => void response.writeHead(200, streamType).end(bytes);
      expect(await connectionsOf(respond, (origin) => eventsOf(callAt(origin, { stream: true })))).toBe(1);
    });

    it('serves the next call after a complete response', async () => {
      const text = JSON.stringify(completeBody);
      const respond: WireResponder = (response) => void response.writeHead(200, JSON_TYPE).end(text);
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
});
