import { ConverseStreamCommand, type ConverseStreamOutput } from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from '@jest/globals';
import { frames, listOf, type Received, type ReceivedFrame, readWhatComes } from '../received.ts';
import { runningUpstream } from '../running-upstream.ts';

const upstream = runningUpstream({ canary: 'heron' });
const asked = {
  messages: [{ role: 'user' as const, content: [{ text: 'Repeat exactly: one two three four five' }] }],
};
const receive = async (): Promise<Received> =>
  readWhatComes(await upstream.postConverse('converse-stream', asked));
const framesOf = ({ pieces }: Received): ReceivedFrame[] => frames(Buffer.concat(pieces));
const deltas = (received: Received): number =>
  framesOf(received).filter(({ name }) => name === 'contentBlockDelta').length;

async function collected(events: ConverseStreamOutput[] = []): Promise<ConverseStreamOutput[]> {
  const command = new ConverseStreamCommand({ modelId: 'sim', ...asked });
  const { stream } = await upstream.bedrock().send(command);
  for await (const event of stream ?? []) events.push(event);
  return events;
}

const textOf = (events: readonly ConverseStreamOutput[]): string =>
  events.map(({ contentBlockDelta }) => contentBlockDelta?.delta?.text ?? '').join('');

describe('on the Converse wire, the fault', () => {
  it('status answers in the envelope of the protocol, with the canary, at every path of its pattern', async () => {
    const match = { path: '/model/{modelId}/converse' };
    await upstream.control('POST', '/faults', { match, fault: { status: 424 }, times: 2 });
    for (const model of ['one', 'two']) {
      const response = await upstream.postConverse('converse', asked, model);
      expect([response.status, response.headers.get('x-amzn-errortype')?.split(':')[0]]).toEqual([
        424,
        'ModelErrorException',
      ]);
      expect(await response.json()).toEqual({ message: expect.stringContaining('(heron)') });
    }
  });

  it('cut_after_chunks cuts the stream after that many deltas, between frames', async () => {
    for (const chunks of [0, 2, 5]) {
      await upstream.fault({ cut_after_chunks: chunks });
      const received = await receive();
      expect([received.whole, deltas(received)]).toEqual([false, chunks]);
      expect(await upstream.lastRequest()).toMatchObject({ outcome: 'fault', chunks, status: 200 });
    }
    await upstream.fault({ cut_after_chunks: 2 });
    await expect(collected()).rejects.toThrow();
  });

  it('cut_after_bytes cuts inside a frame', async () => {
    await upstream.fault({ cut_after_bytes: 200 });
    const { pieces, whole } = await receive();
    expect([whole, Buffer.concat(pieces).length]).toEqual([false, 200]);
  });

  it('hang_after_chunks goes silent', async () => {
    await upstream.fault({ hang_after_chunks: 3 });
    const controller = new AbortController();
    const command = new ConverseStreamCommand({ modelId: 'sim', ...asked });
    const { stream } = await upstream.bedrock().send(command, { abortSignal: controller.signal });
    const reading = listOf(stream).catch(() => 'broken');
    await upstream.lastRequest(({ chunks }) => chunks === 3);
    controller.abort();
    expect(await reading).toBe('broken');
    expect(await upstream.lastRequest(({ outcome }) => outcome !== null)).toMatchObject({
      outcome: 'aborted',
    });
  });

  it('split_bytes and batch change the pieces and not the answer', async () => {
    await upstream.fault({ batch: true });
    expect((await receive()).pieces).toHaveLength(1);
    for (const fault of [
      { split_bytes: 1 },
      { split_bytes: 7 },
      { batch: true },
      { comments: true, crlf: true },
    ]) {
      await upstream.fault(fault);
      expect(textOf(await collected())).toBe('one two three four five');
    }
  });

  it('no_usage leaves usage out of the metadata, and of an answer that is not streamed', async () => {
    await upstream.fault({ no_usage: true }, { times: 2 });
    expect(framesOf(await receive()).at(-1)).toMatchObject({
      name: 'metadata',
      data: { metrics: { latencyMs: expect.any(Number) } },
    });
    expect(await (await upstream.postConverse('converse', asked)).text()).not.toContain('usage');
  });

  it('garbage answers 200 with frames that no client can read', async () => {
    await upstream.fault({ garbage: true }, { times: 2 });
    await expect(collected()).rejects.toThrow();
    const received = await receive();
    expect(received).toMatchObject({ status: 200, whole: true });
    expect(() => framesOf(received)).toThrow();
    expect(await upstream.lastRequest()).toMatchObject({ outcome: 'fault' });
  });

  it('error_event_after_chunks sends an exception, of the type asked for, and ends', async () => {
    await upstream.fault({ error_event_after_chunks: 2 }, { times: 2 });
    const received = await receive();
    expect([received.whole, deltas(received)]).toEqual([true, 2]);
    expect(framesOf(received).at(-1)).toMatchObject({
      kind: 'exception',
      name: 'modelStreamErrorException',
      data: { message: expect.stringContaining('(heron)') },
    });
    const events: ConverseStreamOutput[] = [];
    await expect(collected(events)).rejects.toMatchObject({ name: 'ModelStreamErrorException' });
    expect(textOf(events)).toBe('one two');
    await upstream.fault({ error_event_after_chunks: 1, error_event_type: 'throttlingException' });
    await expect(collected()).rejects.toMatchObject({ name: 'ThrottlingException' });
  });

  it('end_without_done ends the body without messageStop and metadata', async () => {
    await upstream.fault({ end_without_done: true });
    const received = await receive();
    expect([received.whole, deltas(received)]).toEqual([true, 5]);
    expect(framesOf(received).at(-1)?.name).toBe('contentBlockStop');
  });

  it('reset breaks the connection before any header', async () => {
    await upstream.fault({ reset: true });
    await expect(collected()).rejects.toThrow('ECONNRESET');
  });

  it('content_chunks, as the name of a model, gives as many deltas', async () => {
    const response = await upstream.postConverse('converse-stream', asked, 'chunks-250');
    expect(deltas(await readWhatComes(response))).toBe(250);
  });
});
