import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { chatRequest, runningUpstream } from '../testing/models/running-upstream.ts';

const upstream = runningUpstream();
const request = chatRequest('Repeat exactly: one two three four five');

/** Reads what arrives of a response, whether or not it arrives whole. */
async function received(response: Promise<Response>) {
  const { status, body } = await response;
  const fragments: Uint8Array[] = [];
  let isComplete = true;
  try {
    for await (const fragment of body ?? []) fragments.push(fragment);
  } catch {
    isComplete = false;
  }
  return { status, text: Buffer.concat(fragments).toString('utf8'), isComplete };
}

/** Long enough for a server on this machine to say more, had it more to say. */
const SILENCE_MS = 50;

describe('a queued fault', () => {
  const statusOf = async (model: string) => (await upstream.post(chatRequest('x', model))).status;

  it('affects the requested number of matching requests, and no other', async () => {
    await upstream.fault({ status: 500 }, { model: 'sim-small', times: 2 });
    const statuses: number[] = [];
    for (const model of ['other', 'sim-small', 'sim-small', 'sim-small'])
      statuses.push(await statusOf(model));
    expect(statuses).toEqual([200, 500, 500, 200]);
  });

  it('lasts until cleared with times 0, and yields to a counted one', async () => {
    await upstream.fault({ status: 500 }, { times: 0 });
    await upstream.fault({ status: 503 });
    expect([await statusOf('m'), await statusOf('m'), await statusOf('m')]).toEqual([503, 500, 500]);
    await upstream.control('DELETE', '/faults');
    expect(await statusOf('m')).toBe(200);
  });

  it('matches a path or the pattern of one', async () => {
    for (const path of ['/v1/messages', '/model/{modelId}/converse'])
      await upstream.control('POST', '/faults', { match: { path }, fault: { status: 424 }, times: 2 });
    expect(await statusOf('m')).toBe(200);
    expect((await upstream.postMessage({})).status).toBe(424);
    for (const model of ['one', 'two'])
      expect((await upstream.postConverse('converse', {}, model)).status).toBe(424);
  });

  it('causes 400 if it has an unknown field', async () => {
    const response = await upstream.control('POST', '/faults', { fault: { stauts: 500 } });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('stauts')]);
    expect((await upstream.control('POST', '/faults', 'not json')).status).toBe(400);
  });
});

const message = expect.any(String);
const turn = { role: 'user', content: [{ text: request.messages[0]?.content }] };

/** The marks of deltas and of the end of a stream; the error envelope of the status 429. */
const WIRES = [
  {
    name: 'chat completions',
    post: (stream: boolean) =>
      upstream.post({ ...request, ...(stream ? { stream, stream_options: { include_usage: true } } : {}) }),
    delta: /"delta":\{"content":"[^"]/g,
    end: /data: \[DONE\]\n\n$/,
    envelope: { error: { message, type: 'requests', param: null, code: 'rate_limit_exceeded' } },
  },
  {
    name: 'Messages',
    post: (stream: boolean) => upstream.postMessage({ ...request, max_tokens: 100, stream }),
    delta: /event: content_block_delta/g,
    end: /event: message_stop\ndata: [^\n]+\n\n$/,
    envelope: {
      type: 'error',
      error: { type: 'rate_limit_error', message },
      request_id: expect.any(String),
    },
  },
  {
    name: 'Converse',
    post: (stream: boolean) =>
      upstream.postConverse(stream ? 'converse-stream' : 'converse', { messages: [turn] }),
    delta: /contentBlockDelta/g,
    end: /metadata[^{]+\{"usage".+\}[^}]*$/s,
    error: /modelStreamErrorException.+exception.*\{"message":"[^"]+"\}[^}]*$/s,
    envelope: { message },
  },
];

describe.each(WIRES)('$name wire, the fault', ({ post, delta, end, envelope }) => {
  const deltas = (text: string) => text.match(delta)?.length ?? 0;

  it('status causes the error envelope, with the requested headers', async () => {
    await upstream.fault({ status: 429, headers: { 'Retry-After': '3' } });
    const response = await post(true);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '3']);
    expect(await response.json()).toEqual(envelope);
  });

  it.each([0, 3])('wait_after_chunks %d sends no more than that until it is cleared', async (chunks) => {
    await upstream.fault({ wait_after_chunks: chunks });
    const reading = received(post(true));
    await upstream.lastRequest((record) => record.status !== null && record.chunks === chunks);
    await setTimeout(SILENCE_MS);
    expect(await upstream.lastRequest()).toMatchObject({ chunks, outcome: null });
    await upstream.control('DELETE', '/faults');
    const stream = await reading;
    expect([stream.isComplete, deltas(stream.text)]).toEqual([true, 5]);
    expect(stream.text).toMatch(end);
  });

  it('no_usage omits usage, streamed or not', async () => {
    for (const stream of [false, true]) {
      expect((await received(post(stream))).text).toContain('usage');
      await upstream.fault({ no_usage: true });
      expect((await received(post(stream))).text).not.toContain('usage');
    }
  });
});

describe('the fault', () => {
  it('status with a body replays any response', async () => {
    const headers = { 'Content-Type': 'text/event-stream' };
    await upstream.fault({ status: 418, body: 'data: {}\n\n', headers });
    const response = await upstream.post(request);
    expect([response.status, await response.text()]).toEqual([418, 'data: {}\n\n']);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
  });

  it('chunk_delay_ms paces the content chunks', async () => {
    await upstream.fault({ chunk_delay_ms: 30 });
    const startMs = performance.now();
    await received(upstream.post({ ...request, stream: true }));
    expect(performance.now() - startMs).toBeGreaterThan(4 * 30 - 5);
  });
});

it.each([400, 404, 429, 500, 503])('a model named fail-%d returns that status', async (status) => {
  const response = await upstream.post(chatRequest('x', `fail-${status}`));
  expect(response.status).toBe(status);
  expect(response.headers.get('retry-after')).toBe(status === 429 || status === 503 ? '7' : null);
});
