import { EventEmitter, once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import {
  contentEvents,
  messageFrames,
  type ReceivedStream,
  readReceived,
  sseEvents,
} from '../testing/models/received.ts';
import {
  CLAUDE_HEADERS,
  chatRequest,
  runningUpstream,
  SIGNED_HEADERS,
} from '../testing/models/running-upstream.ts';

/** Each pause of the upstream, which lasts until the test ends it. */
const pauses = new EventEmitter();

const upstream = runningUpstream({
  wait: (ms) => new Promise<void>((end) => void pauses.emit('pause', ms, end)),
});
const SENTENCE = 'one two three four five';
const request = chatRequest(`Repeat exactly: ${SENTENCE}`);
const streamed = { ...request, stream: true as const };
const receive = async (body: object): Promise<ReceivedStream> => readReceived(await upstream.post(body));
const framesOf = ({ fragments }: ReceivedStream) => messageFrames(Buffer.concat(fragments));
const namesOf = ({ text }: ReceivedStream) => sseEvents(text).map(({ name }) => name);

/** Long enough for a server on this machine to say more, had it more to say. */
const SILENCE_MS = 50;

describe('a queued fault', () => {
  it('affects the requested number of matching requests, and no other', async () => {
    await upstream.fault({ status: 500 }, { model: 'sim-small', times: 2 });
    const statuses: number[] = [];
    for (const model of ['other', 'sim-small', 'sim-small', 'sim-small'])
      statuses.push((await upstream.post(chatRequest('x', model))).status);
    expect(statuses).toEqual([200, 500, 500, 200]);
  });

  it('lasts until cleared with times 0, and yields to a counted one', async () => {
    await upstream.fault({ status: 500 }, { times: 0 });
    await upstream.fault({ status: 503 });
    const statuses = [];
    for (let index = 0; index < 3; index += 1) statuses.push((await upstream.post(request)).status);
    expect(statuses).toEqual([503, 500, 500]);
    await upstream.control('DELETE', '/faults');
    expect((await upstream.post(request)).status).toBe(200);
  });

  it('matches a path or the pattern of one', async () => {
    const queue = (path: string) =>
      upstream.control('POST', '/faults', { match: { path }, fault: { status: 424 }, times: 2 });
    await queue('/v1/models');
    await queue('/model/{modelId}/converse');
    expect((await upstream.post(request)).status).toBe(200);
    const headers = { authorization: 'Bearer k' };
    expect((await fetch(`${upstream.running.url}/v1/models`, { headers })).status).toBe(424);
    for (const model of ['one', 'two'])
      expect((await upstream.postConverse('converse', {}, model)).status).toBe(424);
  });

  it('causes 400 if it has an unknown field', async () => {
    const response = await upstream.control('POST', '/faults', { fault: { stauts: 500 } });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('stauts');
    expect((await upstream.control('POST', '/faults', 'not json')).status).toBe(400);
  });
});

interface Wire {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: object;
  /** The number of content deltas in a stream. */
  readonly deltas: (received: ReceivedStream) => number;
  readonly streamPath?: string;
  /** The error envelope of the status 429. */
  readonly envelope: object;
  /** The end of a whole stream, of one that `end_without_done` ended, and of one with an error event. */
  readonly isDone: (received: ReceivedStream) => boolean;
  readonly errorOf: (received: ReceivedStream) => unknown;
  readonly error: object;
}

const message = expect.any(String);
const turn = [{ role: 'user', content: [{ text: `Repeat exactly: ${SENTENCE}` }] }];
const WIRES: readonly (readonly [string, Wire])[] = [
  [
    'chat completions',
    {
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer k' },
      body: { ...request, stream_options: { include_usage: true } },
      deltas: ({ text }) => contentEvents(text),
      envelope: { error: { message, type: 'requests', param: null, code: 'rate_limit_exceeded' } },
      isDone: ({ text }) => text.endsWith('data: [DONE]\n\n'),
      errorOf: ({ text }) => JSON.parse(text.trimEnd().split('data: ').at(-1) ?? ''),
      error: { error: { message, type: 'my_error', param: null, code: null } },
    },
  ],
  [
    'Messages',
    {
      path: '/v1/messages',
      headers: CLAUDE_HEADERS,
      body: { ...request, max_tokens: 100 },
      deltas: (received) => namesOf(received).filter((name) => name === 'content_block_delta').length,
      envelope: {
        type: 'error',
        error: { type: 'rate_limit_error', message },
        request_id: expect.any(String),
      },
      isDone: (received) => namesOf(received).at(-1) === 'message_stop',
      errorOf: ({ text }) => sseEvents(text).at(-1),
      error: {
        name: 'error',
        data: { type: 'error', error: { type: 'my_error', message }, request_id: expect.any(String) },
      },
    },
  ],
  [
    'Converse',
    {
      path: '/model/sim/converse',
      streamPath: '/model/sim/converse-stream',
      headers: SIGNED_HEADERS,
      body: { messages: turn },
      deltas: (received) => framesOf(received).filter(({ name }) => name === 'contentBlockDelta').length,
      envelope: { message },
      isDone: (received) => framesOf(received).at(-1)?.name === 'metadata',
      errorOf: (received) => framesOf(received).at(-1),
      error: { kind: 'exception', name: 'my_error', data: { message } },
    },
  ],
];

describe.each(WIRES)('%s wire, the fault', (_name, wire) => {
  const send = (streams: boolean, signal?: AbortSignal): Promise<Response> => {
    const path = streams ? (wire.streamPath ?? wire.path) : wire.path;
    const flag = streams && wire.streamPath === undefined ? { stream: true } : {};
    const { stream_options: options, ...body } = wire.body as { stream_options?: object };
    const withOptions = streams && options !== undefined ? { stream_options: options } : {};
    const init = { headers: wire.headers, ...(signal === undefined ? {} : { signal }) };
    return upstream.postTo(path, { ...body, ...flag, ...withOptions }, init);
  };
  const received = async (streams: boolean) => readReceived(await send(streams));

  it('status causes the error envelope, with the requested headers', async () => {
    await upstream.fault({ status: 429, retry_after: 3, headers: { 'X-Extra': 'yes' } });
    const response = await send(true);
    expect(response.status).toBe(429);
    expect([response.headers.get('retry-after'), response.headers.get('x-extra')]).toEqual(['3', 'yes']);
    expect(await response.json()).toEqual(wire.envelope);
  });

  it.each([0, 2, 5])('cut_after_chunks %d destroys the socket after that many deltas', async (chunks) => {
    await upstream.fault({ cut_after_chunks: chunks });
    const stream = await received(true);
    expect([stream.isComplete, wire.deltas(stream)]).toEqual([false, chunks]);
    expect(await upstream.lastRequest()).toMatchObject({ outcome: 'fault', chunks, status: 200 });
  });

  it('cut_after_chunks and cut_after_bytes cut any body', async () => {
    await upstream.fault({ cut_after_chunks: 1 });
    const half = await received(false);
    expect([half.isComplete, half.text.length > 50]).toEqual([false, true]);
    for (const streams of [false, true]) {
      await upstream.fault({ cut_after_bytes: 70 });
      const { fragments, isComplete } = await received(streams);
      expect([isComplete, Buffer.concat(fragments).length]).toEqual([false, 70]);
    }
  });

  it.each([0, 3])(
    'hang_after_chunks %d goes silent, and the record reports that the client disconnected',
    async (chunks) => {
      await upstream.fault({ hang_after_chunks: chunks });
      const controller = new AbortController();
      const reading = readReceived(await send(true, controller.signal));
      await upstream.lastRequest((record) => record.chunks === chunks);
      await setTimeout(SILENCE_MS);
      controller.abort();
      const stream = await reading;
      expect([stream.isComplete, wire.deltas(stream)]).toEqual([false, chunks]);
      const record = await upstream.lastRequest(({ outcome }) => outcome !== null);
      expect(record).toMatchObject({ outcome: 'aborted' });
    },
  );

  it.each([0, 3])('wait_after_chunks %d sends no more than that until they are cleared', async (chunks) => {
    await upstream.fault({ wait_after_chunks: chunks });
    const reading = send(true).then(readReceived);
    await upstream.lastRequest((record) => record.status !== null && record.chunks === chunks);
    await setTimeout(SILENCE_MS);
    expect(await upstream.lastRequest()).toMatchObject({ chunks, outcome: null });
    await upstream.control('DELETE', '/faults');
    const stream = await reading;
    expect([stream.isComplete, wire.deltas(stream), wire.isDone(stream)]).toEqual([true, 5, true]);
  });

  it('wait_after_chunks delays a body that is not streamed', async () => {
    await upstream.fault({ wait_after_chunks: 2 });
    let isHere = false;
    const reading = received(false).then((response) => {
      isHere = true;
      return response;
    });
    await upstream.lastRequest(({ status }) => status !== null);
    await setTimeout(SILENCE_MS);
    expect(isHere).toBe(false);
    await upstream.control('DELETE', '/faults');
    expect(await reading).toMatchObject({ isComplete: true, status: 200 });
  });

  it('split_bytes changes the splits and not the output', async () => {
    await upstream.fault({ split_bytes: 7 });
    const stream = await received(true);
    expect(stream.fragments.length).toBeGreaterThan(20);
    expect([stream.isComplete, wire.deltas(stream), wire.isDone(stream)]).toEqual([true, 5, true]);
  });

  it('no_usage omits usage, streamed or not', async () => {
    expect((await received(false)).text).toContain('usage');
    expect((await received(true)).text).toContain('usage');
    await upstream.fault({ no_usage: true }, { times: 2 });
    expect((await received(false)).text).not.toContain('usage');
    const stream = await received(true);
    expect(stream.text).not.toContain('usage');
    expect(wire.isDone(stream)).toBe(true);
  });

  it('garbage returns 200 with a body that no client can read', async () => {
    await upstream.fault({ garbage: true }, { times: 2 });
    const isComplete = await received(false);
    expect(isComplete.status).toBe(200);
    expect(() => JSON.parse(isComplete.text)).toThrow();
    const stream = await received(true);
    expect([stream.status, stream.isComplete]).toEqual([200, true]);
    expect(() => wire.errorOf(stream)).toThrow();
    expect(await upstream.lastRequest()).toMatchObject({ outcome: 'fault' });
  });

  it('error_event_after_chunks sends an error of the requested type in the stream, and ends', async () => {
    await upstream.fault({ error_event_after_chunks: 2, error_event_type: 'my_error' });
    const stream = await received(true);
    expect([stream.isComplete, wire.deltas(stream)]).toEqual([true, 2]);
    expect(wire.errorOf(stream)).toEqual(wire.error);
  });

  it('end_without_done ends the body cleanly after the content', async () => {
    await upstream.fault({ end_without_done: true });
    const stream = await received(true);
    expect([stream.isComplete, wire.deltas(stream), wire.isDone(stream)]).toEqual([true, 5, false]);
  });

  it('reset breaks the connection before any header', async () => {
    await upstream.fault({ reset: true });
    await expect(send(true)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(await upstream.lastRequest()).toMatchObject({ outcome: 'fault', status: null });
  });
});

describe('the fault', () => {
  it('status with a body replays any response', async () => {
    await upstream.fault({ status: 418, body: { teapot: true } });
    expect(await receive(request)).toMatchObject({ status: 418, text: '{"teapot":true}' });
    const headers = { 'Content-Type': 'text/event-stream' };
    await upstream.fault({ status: 200, body: 'data: {}\n\n', headers });
    const response = await upstream.post(streamed);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toBe('data: {}\n\n');
  });

  it('delay_ms holds the headers back for that time', async () => {
    await upstream.fault({ delay_ms: 60 });
    const paused = once(pauses, 'pause');
    const response = upstream.post(request);
    const [ms, end] = await paused;
    expect([ms, (await upstream.lastRequest()).status]).toEqual([60, null]);
    end();
    expect((await response).status).toBe(200);
  });

  it('first_chunk_delay_ms sends the headers at once and the body later', async () => {
    await upstream.fault({ first_chunk_delay_ms: 1_000 });
    const paused = once(pauses, 'pause');
    const response = await upstream.post(streamed);
    const [ms, end] = await paused;
    expect([ms, (await upstream.lastRequest()).chunks]).toEqual([1_000, 0]);
    end();
    expect(contentEvents(await response.text())).toBe(5);
  });

  it('chunk_delay_ms paces the content chunks', async () => {
    await upstream.fault({ chunk_delay_ms: 30 });
    const observedPauses: (readonly [ms: number, chunks: number])[] = [];
    const expectPause = async (ms: number, end: () => void) => {
      observedPauses.push([ms, (await upstream.lastRequest()).chunks]);
      end();
    };
    pauses.on('pause', expectPause);
    await receive(streamed);
    pauses.off('pause', expectPause);
    expect(observedPauses).toEqual([1, 2, 3, 4].map((chunks) => [30, chunks]));
  });

  it('hang never answers', async () => {
    await upstream.fault({ hang: true });
    await upstream.expectNoResponse(request);
    const record = await upstream.lastRequest(({ outcome }) => outcome !== null);
    expect(record).toMatchObject({ outcome: 'aborted', status: null });
  });

  it('comments and crlf change the framing and not the output', async () => {
    await upstream.fault({ comments: true, crlf: true, split_bytes: 1 }, { times: 2 });
    const { text } = await receive(streamed);
    expect(text).toContain(': keep-alive\r\n\r\ndata: {');
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
    const stream = upstream.openai().chat.completions.stream(request);
    expect(await stream.finalContent()).toBe(SENTENCE);
  });
});

describe('a model named', () => {
  it.each([400, 404, 429, 500, 503])('fail-%d returns that status', async (status) => {
    const response = await upstream.post(chatRequest('x', `fail-${status}`));
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe(status === 429 || status === 503 ? '7' : null);
    expect(await response.json()).toEqual({ error: expect.objectContaining({ message }) });
  });

  it('no-usage behaves like the fault of that name', async () => {
    expect((await receive({ ...request, model: 'no-usage' })).text).not.toContain('"usage"');
  });
});
