import { describe, expect, it } from '@jest/globals';
import { readWhatComes, sseEvents } from '../received.ts';
import { runningUpstream } from '../running-upstream.ts';

const upstream = runningUpstream({ canary: 'heron' });
const asked = {
  model: 'sim-small',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'Repeat exactly: one two three four five' }],
};
const streamed = { ...asked, stream: true };
const receive = async (body: object) => readWhatComes(await upstream.postMessage(body));
const deltas = (text: string): number => text.match(/event: content_block_delta/gu)?.length ?? 0;
const finalText = () => upstream.anthropic().messages.stream(asked).finalText();

describe('on the Messages wire, the fault', () => {
  it('status answers in the envelope of the protocol, with the canary', async () => {
    await upstream.fault({ status: 529, retry_after: 3 });
    const response = await upstream.postMessage(asked);
    expect([response.status, response.headers.get('retry-after')]).toEqual([529, '3']);
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded (heron)' },
      request_id: response.headers.get('request-id'),
    });
  });

  it('cut_after_chunks cuts the stream after that many deltas', async () => {
    for (const chunks of [0, 2, 5]) {
      await upstream.fault({ cut_after_chunks: chunks });
      const { text, whole } = await receive(streamed);
      expect([whole, deltas(text)]).toEqual([false, chunks]);
      expect(await upstream.lastRequest()).toMatchObject({ path: '/v1/messages', outcome: 'fault', chunks });
    }
  });

  it('hang_after_chunks goes silent, after which the record says that the client left', async () => {
    await upstream.fault({ hang_after_chunks: 3 });
    const controller = new AbortController();
    const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
    const response = await upstream.postTo('/v1/messages', streamed, { headers, signal: controller.signal });
    const received = readWhatComes(response);
    await upstream.lastRequest(({ chunks }) => chunks === 3);
    controller.abort();
    expect(deltas((await received).text)).toBe(3);
    expect(await upstream.lastRequest(({ outcome }) => outcome !== null)).toMatchObject({
      outcome: 'aborted',
    });
  });

  it('split_bytes, comments, crlf and batch change the framing and not the answer', async () => {
    for (const fault of [{ split_bytes: 1, crlf: true }, { comments: true }, { batch: true }]) {
      await upstream.fault(fault);
      expect(await finalText()).toBe('one two three four five');
    }
  });

  it('no_usage leaves usage out, streamed or not', async () => {
    await upstream.fault({ no_usage: true }, { times: 2 });
    expect((await receive(asked)).text).not.toContain('usage');
    const { text } = await receive(streamed);
    expect(text).not.toContain('usage');
    expect(sseEvents(text).at(-1)?.name).toBe('message_stop');
  });

  it('garbage answers 200 with what no client can read', async () => {
    await upstream.fault({ garbage: true }, { times: 3 });
    const whole = await receive(asked);
    expect(whole.status).toBe(200);
    expect(() => JSON.parse(whole.text)).toThrow();
    expect((await receive(streamed)).text).toMatch(/^data: \{"id/);
    await expect(finalText()).rejects.toThrow();
    expect(await upstream.lastRequest()).toMatchObject({ outcome: 'fault' });
  });

  it('error_event_after_chunks sends an error event, of the type asked for, and ends', async () => {
    await upstream.fault({ error_event_after_chunks: 2 }, { times: 2 });
    const { text, whole } = await receive(streamed);
    expect([whole, deltas(text)]).toEqual([true, 2]);
    expect(sseEvents(text).at(-1)).toMatchObject({
      name: 'error',
      data: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded (heron)' } },
    });
    await expect(finalText()).rejects.toThrow('heron');
    await upstream.fault({ error_event_after_chunks: 0, error_event_type: 'api_error' });
    expect((await receive(streamed)).text).toContain('"type":"api_error"');
  });

  it('end_without_done leaves out what closes the message', async () => {
    await upstream.fault({ end_without_done: true });
    const { text, whole } = await receive(streamed);
    expect([whole, deltas(text)]).toEqual([true, 5]);
    expect(sseEvents(text).at(-1)?.name).toBe('content_block_stop');
  });

  it('content_chunks, as the name of a model, gives as many deltas', async () => {
    const { text } = await receive({ ...streamed, model: 'chunks-250' });
    expect(deltas(text)).toBe(250);
    expect(text).toContain('"output_tokens":250');
  });
});
