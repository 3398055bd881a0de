import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type OpenAI from 'openai';
import { contentEvents, elapsedMs, type Received, readWhatComes } from '../received.ts';
import { ask, runningUpstream } from '../running-upstream.ts';

const upstream = runningUpstream({ canary: 'heron' });

const SENTENCE = 'Repeat exactly: one two three four five';
const asked = ask(SENTENCE);
const streamed = { ...asked, stream: true as const };
const DONE = 'data: [DONE]\n\n';

const receive = async (body: object): Promise<Received> => readWhatComes(await upstream.post(body));

/** Long enough for a server on this machine to say more, had it more to say. */
const SILENCE_MS = 50;

describe('a queued fault', () => {
  it('happens to as many matching requests as asked, and to no other', async () => {
    await upstream.fault({ status: 500 }, { model: 'sim-small', times: 2 });
    const statuses: number[] = [];
    for (const model of ['other', 'sim-small', 'sim-small', 'sim-small']) {
      statuses.push((await upstream.post(ask('x', model))).status);
    }
    expect(statuses).toEqual([200, 500, 500, 200]);
  });

  it('lasts until cleared with times 0, and gives way to a counted one', async () => {
    await upstream.fault({ status: 500 }, { times: 0 });
    await upstream.fault({ status: 503 });
    const statuses = [];
    for (let index = 0; index < 3; index += 1) statuses.push((await upstream.post(asked)).status);
    expect(statuses).toEqual([503, 500, 500]);
    await upstream.control('DELETE', '/faults');
    expect((await upstream.post(asked)).status).toBe(200);
  });

  it('can match a path', async () => {
    await upstream.control('POST', '/faults', { match: { path: '/v1/models' }, fault: { status: 500 } });
    expect((await upstream.post(asked)).status).toBe(200);
    const models = await fetch(`${upstream.running.url}/v1/models`, {
      headers: { authorization: 'Bearer k' },
    });
    expect(models.status).toBe(500);
  });

  it('is refused when it has a field that does not exist', async () => {
    const response = await upstream.control('POST', '/faults', { fault: { stauts: 500 } });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('stauts');
    expect((await upstream.control('POST', '/faults', 'not json')).status).toBe(400);
  });
});

describe('the fault', () => {
  it('status answers with the error envelope and the canary, and raises the right client error', async () => {
    await upstream.fault({ status: 429, retry_after: 3, headers: { 'X-Extra': 'yes' } });
    const failure = upstream.openai().chat.completions.create(asked);
    await expect(failure).rejects.toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
      message: expect.stringContaining('heron'),
    });
    await failure.catch((error: InstanceType<typeof OpenAI.APIError>) => {
      expect(error.headers?.get('retry-after')).toBe('3');
      expect(error.headers?.get('x-extra')).toBe('yes');
    });
  });

  it('status with a body replays any answer', async () => {
    await upstream.fault({ status: 418, body: { teapot: true } });
    expect(await receive(asked)).toMatchObject({ status: 418, text: '{"teapot":true}' });
    await upstream.fault({
      status: 200,
      body: 'data: {}\n\n',
      headers: { 'Content-Type': 'text/event-stream' },
    });
    const response = await upstream.post(streamed);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toBe('data: {}\n\n');
  });

  it('delay_ms holds the headers back', async () => {
    await upstream.fault({ delay_ms: 80 });
    expect(await elapsedMs(() => upstream.post(asked))).toBeGreaterThan(75);
  });

  it('first_chunk_delay_ms sends the headers at once and the body later', async () => {
    await upstream.fault({ first_chunk_delay_ms: 500 });
    const started = performance.now();
    const response = await upstream.post(streamed);
    expect(performance.now() - started).toBeLessThan(400);
    await response.text();
    expect(performance.now() - started).toBeGreaterThan(490);
  });

  it('chunk_delay_ms paces the content chunks', async () => {
    await upstream.fault({ chunk_delay_ms: 30 });
    expect(await elapsedMs(() => receive(streamed))).toBeGreaterThan(4 * 28);
  });

  it('hang never answers', async () => {
    await upstream.fault({ hang: true });
    await upstream.expectNoAnswer(asked);
    expect(await upstream.lastRequest((record) => record.outcome !== null)).toMatchObject({
      outcome: 'aborted',
      status: null,
    });
  });

  it.each([0, 3, 5])('hang_after_chunks %d goes silent after that many', async (chunks) => {
    await upstream.fault({ hang_after_chunks: chunks });
    const controller = new AbortController();
    const response = await upstream.post(streamed, { signal: controller.signal });
    const received = readWhatComes(response);
    await upstream.lastRequest((record) => record.chunks === chunks);
    await setTimeout(SILENCE_MS);
    controller.abort();
    const { text, whole } = await received;
    expect(whole).toBe(false);
    expect(contentEvents(text)).toBe(chunks);
    expect(text).not.toContain('"finish_reason":"stop"');
  });

  it.each([0, 2, 5])('cut_after_chunks %d destroys the socket after that many', async (chunks) => {
    await upstream.fault({ cut_after_chunks: chunks });
    const { text, whole } = await receive(streamed);
    expect(whole).toBe(false);
    expect(contentEvents(text)).toBe(chunks);
    expect(await upstream.lastRequest()).toMatchObject({ outcome: 'fault', chunks, status: 200 });
  });

  it('cut_after_chunks cuts a body that is not streamed half-way', async () => {
    await upstream.fault({ cut_after_chunks: 1 });
    const { text, whole } = await receive(asked);
    expect(whole).toBe(false);
    expect(text.length).toBeGreaterThan(50);
    await upstream.fault({ cut_after_chunks: 1 });
    await expect(upstream.openai().chat.completions.create(asked)).rejects.toThrow();
  });

  it.each([0, 1, 200])('cut_after_bytes %d delivers exactly that many bytes', async (bytes) => {
    for (const body of [asked, streamed]) {
      await upstream.fault({ cut_after_bytes: bytes });
      const { pieces, whole } = await receive(body);
      expect(whole).toBe(false);
      expect(Buffer.concat(pieces).length).toBe(bytes);
    }
  });

  it('split_bytes writes pieces of that size, which join to the same answer', async () => {
    const emoji = ask('Repeat exactly: 👩‍👩‍👧 größer 日本');
    for (const stream of [false, true]) {
      await upstream.fault({ split_bytes: 3 });
      const { pieces, text, whole } = await receive({ ...emoji, stream });
      expect(whole).toBe(true);
      expect(pieces.length).toBeGreaterThan(text.length / 12);
      if (!stream) expect(JSON.parse(text).choices[0].message.content).toBe('👩‍👩‍👧 größer 日本');
    }
    await upstream.fault({ split_bytes: 1, crlf: true });
    const stream = upstream.openai().chat.completions.stream(emoji);
    expect(await stream.finalContent()).toBe('👩‍👩‍👧 größer 日本');
  });

  it('no_usage leaves usage out, streamed or not', async () => {
    await upstream.fault({ no_usage: true }, { times: 2 });
    expect(JSON.parse((await receive(asked)).text)).not.toHaveProperty('usage');
    const { text } = await receive({ ...streamed, stream_options: { include_usage: true } });
    expect(text).not.toContain('usage');
    expect(text.endsWith(DONE)).toBe(true);
  });

  it('garbage answers 200 with what no client can read', async () => {
    await upstream.fault({ garbage: true }, { times: 3 });
    const whole = await receive(asked);
    expect(whole.status).toBe(200);
    expect(() => JSON.parse(whole.text)).toThrow();
    const stream = await receive(streamed);
    expect(stream.text).toMatch(/^data: /);
    expect(stream.text).not.toContain('[DONE]');
    await expect(upstream.openai().chat.completions.stream(asked).finalContent()).rejects.toThrow();
    expect(await upstream.lastRequest()).toMatchObject({ outcome: 'fault' });
  });

  it('comments and crlf change the framing and not the answer', async () => {
    await upstream.fault({ comments: true, crlf: true }, { times: 2 });
    const { text } = await receive(streamed);
    expect(text).toContain(': keep-alive\r\n\r\ndata: {');
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
    expect(await upstream.openai().chat.completions.stream(asked).finalContent()).toBe(
      'one two three four five',
    );
  });

  it('batch puts the whole short stream in one write', async () => {
    await upstream.fault({ batch: true });
    const { text, pieces } = await receive(streamed);
    expect(pieces).toHaveLength(1);
    expect(contentEvents(text)).toBe(5);
    expect(text.endsWith(DONE)).toBe(true);
  });

  it('error_event_after_chunks sends an error in the stream and ends it', async () => {
    await upstream.fault({ error_event_after_chunks: 2 }, { times: 2 });
    const { text, whole } = await receive(streamed);
    expect(whole).toBe(true);
    expect(contentEvents(text)).toBe(2);
    expect(text).toMatch(
      /data: \{"error":\{"message":"[^"]*heron\)","type":"server_error","param":null,"code":null\}\}\n\n$/u,
    );
    await expect(upstream.openai().chat.completions.stream(asked).finalContent()).rejects.toThrow('heron');
  });

  it('reset breaks the connection before any header', async () => {
    await upstream.fault({ reset: true });
    await expect(upstream.post(asked)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(await upstream.lastRequest()).toMatchObject({ outcome: 'fault', status: null });
  });

  it('end_without_done ends the body cleanly after the content', async () => {
    await upstream.fault({ end_without_done: true });
    const { text, whole } = await receive(streamed);
    expect(whole).toBe(true);
    expect(contentEvents(text)).toBe(5);
    expect(text).not.toContain('[DONE]');
    expect(text).not.toContain('"finish_reason":"stop"');
  });
});
