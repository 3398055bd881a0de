/** The shared host: one process for the whole inference API. What it does as functions do, the other suites show on it too. */
import { describe, expect, it } from '@jest/globals';
import { onLinux } from '../../../tools/test-kit/on-linux.ts';
import { until } from '../../../tools/test-kit/waiting.ts';
import { errorOf } from '../payer.ts';
import { processesOf } from '../processes.ts';
import { OPEN_CALLS, service } from './service.ts';

interface UsageRecord {
  readonly id: string;
  readonly status: string;
  readonly estimated: boolean;
  readonly output_units: number;
}

/** Makes this number of responses wait after their first chunk until the faults are cleared. */
const waits = (times: number) => service.fault({ wait_after_chunks: 1 }, {}, times);

const send = (key: string, body: object, init: RequestInit = {}) =>
  service.chat(
    { model: 'sim/chat', max_tokens: 200, messages: [{ role: 'user', content: 'write 150 words' }], ...body },
    { key, ...init },
  );

/** None while no process answers. */
const usageOf = async (key: string): Promise<readonly UsageRecord[]> =>
  ((await (await service.fetch('/v1/usage?limit=100', { key })).json()) as { data?: UsageRecord[] }).data ??
  [];

/** The records of an account that has had none, once there is one. */
const settledOf = (key: string) =>
  until(
    () => usageOf(key),
    ({ length }) => length > 0,
  );

const lastSequence = async (): Promise<number> => (await service.received()).at(-1)?.sequence ?? 0;

/** Opens a stream, reads some of it and leaves. */
async function leave(key: string, body: object): Promise<void> {
  const aborted = new AbortController();
  const response = await send(key, { stream: true, ...body }, { signal: aborted.signal });
  expect(response.status).toBe(200);
  await response.body?.getReader().read();
  aborted.abort();
}

describe('a caller who leaves', () => {
  it('ends the call upstream on a route that cancels, and pays for the prompt and what was written by then', async () => {
    const { id, key } = await service.account('1');
    const since = await lastSequence();
    await waits(1);
    await leave(key, { model: 'sim/chat-anthropic' });
    const [record] = await settledOf(key);
    expect(record).toMatchObject({ status: 'interrupted', estimated: true });
    expect(record?.output_units).toBeGreaterThan(0);
    expect(record?.output_units).toBeLessThan(50);
    // The upstream notices it when its socket closes, which may be after the settlement.
    const outcomes = async () => (await service.received(since)).map(({ outcome }) => outcome);
    expect(await until(outcomes, ([outcome]) => outcome !== null)).toEqual(['aborted']);
    expect(await service.wallet(id)).toMatchObject({ held: 0 });
  });

  it.each([
    ['on any other route', {}],
    ['where a model may have thought unseen', { model: 'sim/chat-anthropic', reasoning_effort: 'low' }],
  ])('pays for the complete response %s', async (_where, body) => {
    const { id, key } = await service.account('1');
    const since = await lastSequence();
    await waits(1);
    await leave(key, body);
    await service.endFaults();
    const [record] = await settledOf(key);
    expect(record).toMatchObject({ status: 'completed', estimated: false });
    expect(record?.output_units).toBeGreaterThan(100);
    expect((await service.received(since)).map(({ outcome }) => outcome)).toEqual(['completed']);
    expect(await service.wallet(id)).toMatchObject({ held: 0 });
  });

  it('pays for a complete response that it does not wait for, and receives it if it repeats the call', async () => {
    const { key } = await service.account('1');
    const since = await lastSequence();
    await waits(1);
    const headers = { 'idempotency-key': 'left' };
    const aborted = new AbortController();
    const response = send(key, {}, { headers, signal: aborted.signal });
    await until(
      () => service.received(since),
      ({ length }) => length > 0,
    );
    aborted.abort();
    await expect(response).rejects.toThrow('aborted');
    await service.endFaults();
    const [record] = await settledOf(key);
    expect(record).toMatchObject({ status: 'completed', estimated: false });
    const again = await send(key, {}, { headers });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(await usageOf(key)).toHaveLength(1);
  });
});

describe('a host at its call limit', () => {
  it('rejects further calls with 503 and a time to retry, holds nothing for them, and continues to serve', async () => {
    const { id, key } = await service.account('5');
    await waits(OPEN_CALLS);
    const streams = await Promise.all(
      Array.from({ length: OPEN_CALLS }, () => send(key, { stream: true, max_tokens: 60 })),
    );
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    const rejection = await send(key, {});
    expect([rejection.status, rejection.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await rejection.json()).toMatchObject({
      error: { code: 'overloaded', type: 'service_unavailable' },
    });
    await service.endFaults();
    for (const text of await Promise.all(streams.map((response) => response.text())))
      expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    expect((await send(key, {})).status).toBe(200);
    expect(await usageOf(key)).toHaveLength(OPEN_CALLS + 1);
    expect(await service.wallet(id)).toMatchObject({ held: 0 });
    expect(await service.audit()).toMatchObject({ exact: true, drift: 0 });
  });
});

describe('a body of 20 MB', () => {
  it('reaches the service, which counts its complete length', async () => {
    const { key } = await service.account('1');
    const messages = [{ role: 'user', content: 'word '.repeat(4 << 20) }];
    const response = await send(key, { messages });
    // It is more than the model reads: its length has been counted, and nothing is held.
    expect(await errorOf(response)).toMatchObject({ status: 400, param: 'messages' });
  });
});

describe('a host that is stopped', () => {
  onLinux('ends every stream well or with an error, and settles them all', async () => {
    const { id, key } = await service.account('5');
    const streamed = OPEN_CALLS - 10;
    await waits(streamed / 2);
    await service.fault({ chunk_delay_ms: 200 }, {}, streamed / 2);
    const streams = await Promise.all(
      Array.from({ length: streamed }, () => send(key, { stream: true, max_tokens: 60 })),
    );
    const strings = Promise.all(streams.map((response) => response.text()));
    const [host] = processesOf(service.session.pid, 'inference-host');
    expect(host).toBeGreaterThan(0);
    process.kill(host ?? 0, 'SIGTERM');
    const ends = (await strings).map((text) => text.trimEnd().split('\n').at(-1) ?? '');
    expect(ends.filter((end) => end !== 'data: [DONE]' && !end.includes('"error"'))).toEqual([]);
    expect(ends.filter((end) => end.includes('"error"')).length).toBeGreaterThanOrEqual(streamed / 2);
    // Once it has ended, requests find another process.
    const records = await until(
      () => usageOf(key),
      (responses) => responses.length === streamed,
    );
    expect(records).toHaveLength(streamed);
    expect(await service.wallet(id)).toMatchObject({ held: 0 });
    expect(await service.audit()).toMatchObject({ exact: true, drift: 0 });
  });
});
