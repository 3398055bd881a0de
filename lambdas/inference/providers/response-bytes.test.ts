import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../platform/core/json/lossless-json.ts';
import { wireServer } from '../../platform/testing/connections/wire-server.ts';
import type { ProviderAttempt } from '../core/kinds/call-kind.ts';
import type { TranscriptionPayload } from '../core/kinds/transcriptions/endpoint.ts';
import type { RouteEvent, UpstreamFailure } from '../core/upstream/provider.ts';
import { callAt } from '../testing/providers/bedrock/calling.ts';
import { callsOf, DEPENDENCIES, EVENT_STREAM, JSON_TYPE, routeOf } from '../testing/providers/http-calls.ts';
import { nativePayloadOf } from '../testing/providers/payloads.ts';
import { eventsIn } from '../testing/providers/streams.ts';
import { embeddingsOfOpenAi } from './kinds/embeddings/openai.ts';
import { imagesOfOpenAi } from './kinds/images/openai.ts';
import { speechOfOpenAi } from './kinds/speech/openai.ts';
import { transcriptionsOfOpenAi } from './kinds/transcriptions/openai.ts';
import { createOpenAiProvider } from './openai/provider.ts';
import { embeddingBytes, imageBytes, speechBytes, transcriptBytes } from './response-bytes.ts';

const MB = 1024 * 1024;
const server = wireServer();

const call = callsOf({
  protocol: 'openai',
  provider: createOpenAiProvider(DEPENDENCIES),
  identity: { id: 'chatcmpl-1', model: 'sim/chat' },
  payload: (stream) => nativePayloadOf('openai')({ model: 'sim/chat', messages: [] }, stream),
});

const completion = (text: string) =>
  JSON.stringify({ choices: [{ index: 0, message: { content: text }, finish_reason: 'stop' }] });
const chunk = (text: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`;

/** Serves that text over and over until the client leaves. */
function serveEndless(type: object, start: string, repeated: string): () => number {
  let sent = 0;
  server.respond = (response) => {
    response.writeHead(200, type as Record<string, string>);
    response.write(start);
    const write = () => {
      if (response.destroyed) return;
      sent += repeated.length;
      if (response.write(repeated)) setImmediate(write);
      else response.once('drain', write);
    };
    write();
  };
  return () => sent;
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'a response',
    (failure: UpstreamFailure) => failure.kind,
  );

describe('a response of a route', () => {
  it('fails the route at one byte above its bound, and passes at exactly its bound', async () => {
    const text = completion('words');
    server.respond = (response) => void response.writeHead(200, JSON_TYPE).end(text);
    expect(await failureOf(call(server.origin, { maxBytes: text.length }))).toBe('a response');
    expect(await failureOf(call(server.origin, { maxBytes: text.length - 1 }))).toBe('protocol');
  });

  it('fails the route if it is compressed, because that was not requested', async () => {
    server.respond = (response) =>
      void response
        .writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' })
        .end(gzipSync(completion('a'.repeat(100_000))));
    expect(await failureOf(call(server.origin, { maxBytes: MB }))).toBe('connection');
    server.respond = (response) =>
      void response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'identity' }).end(completion('a'));
    expect(await failureOf(call(server.origin, { maxBytes: MB }))).toBe('a response');
  });

  it('closes the connection of one that never ends', async () => {
    const sent = serveEndless(JSON_TYPE, '{"choices":"', 'a'.repeat(64 * 1024));
    expect(await failureOf(call(server.origin, { maxBytes: MB }))).toBe('protocol');
    while (server.open > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(sent()).toBeLessThan(20 * MB);
  });

  it.each([
    ['events', chunk('word'), chunk('a'.repeat(1_000)), 1],
    ['one event', `${chunk('word')}data: "`, 'a'.repeat(64 * 1024), 1],
  ])(
    'breaks off if it is a stream that exceeds its bound by %s, after the events before that',
    async (_name, start, more, least) => {
      serveEndless(EVENT_STREAM, start, more);
      const response = await call(server.origin, { stream: true, maxBytes: MB });
      if (response.kind !== 'stream') throw new Error('not a stream');
      const events: RouteEvent[] = [];
      const read = async () => {
        for await (const event of eventsIn(response.batches)) events.push(event);
      };
      expect(await failureOf(read())).toBe('protocol');
      expect(events.length).toBeGreaterThanOrEqual(least);
    },
  );

  it('bounds an event of a stream by 8 MB, however much the stream may have', async () => {
    const sent = serveEndless(EVENT_STREAM, 'data: "', 'a'.repeat(64 * 1024));
    const response = await call(server.origin, { stream: true, maxBytes: 1_000 * MB });
    if (response.kind !== 'stream') throw new Error('not a stream');
    expect(await failureOf(eventsIn(response.batches)[Symbol.asyncIterator]().next())).toBe('protocol');
    expect(sent()).toBeLessThan(40 * MB);
  });

  it('passes with an event of a stream up to that bound', async () => {
    const text = 'a'.repeat(8 * MB - 1_000);
    server.respond = (response) =>
      void response.writeHead(200, EVENT_STREAM).end(`${chunk(text)}data: [DONE]\n\n`);
    const response = await call(server.origin, { stream: true, maxBytes: 1_000 * MB });
    if (response.kind !== 'stream') throw new Error('not a stream');
    const { value } = await eventsIn(response.batches)[Symbol.asyncIterator]().next();
    expect(value?.outputText).toBe(text);
  });

  it('fails the route if Bedrock exceeds its bound', async () => {
    serveEndless(JSON_TYPE, '{"output":"', 'a'.repeat(64 * 1024));
    expect(await failureOf(callAt(server.origin, { maxBytes: MB }))).not.toBe('a response');
  });

  const attempt = <Payload>(payload: Payload) =>
    ({
      route: routeOf({ protocol: 'openai', base_url: `${server.origin}/v1` }),
      payload,
      clock: { signal: new AbortController().signal, stopFirstByte: () => {}, close: () => {} },
    }) as unknown as ProviderAttempt<Payload>;

  const recording = {
    content: new Blob(['a'.repeat(1_000)]),
    type: { extension: 'wav', mimeType: 'audio/wav' },
    fields: [],
  } as unknown as TranscriptionPayload;

  async function hear(): Promise<void> {
    const { rest } = await speechOfOpenAi(DEPENDENCIES)(attempt<JsonObject>({ input: 'Hello.' }));
    while (!(await rest.next()).done);
  }

  /** Runs a call of each kind, with a response that is valid with any number of spaces after it, and its bound. */
  const KINDS: readonly (readonly [string, () => Promise<unknown>, number, object, string])[] = [
    [
      'embeddings',
      () => embeddingsOfOpenAi(DEPENDENCIES)(attempt<JsonObject>({ input: 'a', dimensions: 10 })),
      embeddingBytes(1, 10),
      JSON_TYPE,
      '{"data":[{"index":0,"embedding":[1]}]}',
    ],
    [
      'an image',
      () =>
        imagesOfOpenAi({ ...DEPENDENCIES, clock: () => 0, download: fetch })(attempt<JsonObject>({ n: 1 })),
      Math.floor(imageBytes(1)),
      JSON_TYPE,
      '{"data":[{"b64_json":"aaaa"}]}',
    ],
    [
      'a transcript',
      () => transcriptionsOfOpenAi(DEPENDENCIES)(attempt(recording)),
      transcriptBytes(1_000),
      JSON_TYPE,
      '{"text":"Hello."}',
    ],
    ['speech', hear, speechBytes({ input: 'Hello.' }), { 'content-type': 'audio/mpeg' }, 'a'],
  ];

  it.each(KINDS)(
    'passes with all bytes of its bound, and fails the route with one more: %s',
    async (_kind, run, bound, type, start) => {
      const outcomes: unknown[] = [];
      for (const bytes of [bound, bound + 1]) {
        const text = start + ' '.repeat(bytes - start.length);
        server.respond = (response) => void response.writeHead(200, type as Record<string, string>).end(text);
        outcomes.push(await failureOf(run()));
      }
      expect(outcomes).toEqual(['a response', 'protocol']);
    },
  );
});
