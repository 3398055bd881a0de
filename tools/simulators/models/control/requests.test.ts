import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { chatRequest, runningUpstream } from '../../testing/models/running-upstream.ts';
import type { RequestRecord } from './request-log.ts';
import { RequestLog } from './request-log.ts';

const upstream = runningUpstream();
const hasOutcome = (record: RequestRecord): boolean => record.outcome !== null;

describe('the record of requests', () => {
  it('shows that a client disconnected in mid-stream, after which nothing more is generated', async () => {
    await upstream.fault({ chunk_delay_ms: 10 });
    const controller = new AbortController();
    const response = await upstream.post(
      { ...chatRequest('write 2000 words'), stream: true },
      { signal: controller.signal },
    );
    await response.body?.getReader().read();
    expect((await (await upstream.control('GET', '/stats')).json()) as object).toMatchObject({ open: 1 });
    controller.abort();
    const record = await upstream.lastRequest(hasOutcome);
    expect(record).toMatchObject({ outcome: 'aborted', status: 200 });
    expect(record.chunks).toBeLessThan(100);
    expect((await (await upstream.control('GET', '/stats')).json()) as object).toMatchObject({ open: 0 });
  });

  it('shows that a stream waits for a client that does not read', async () => {
    const controller = new AbortController();
    const body = { ...chatRequest('write 20000 words'), n: 20, stream: true };
    // Held to the end: a response that is collected as garbage lets go of its connection.
    const response = await upstream.post(body, { signal: controller.signal });
    let { chunks, outcome } = await upstream.lastRequest((record) => record.chunks > 0);
    for (let before = -1; before !== chunks; ) {
      before = chunks;
      await setTimeout(100);
      ({ chunks, outcome } = await upstream.lastRequest());
    }
    controller.abort();
    expect(outcome).toBeNull();
    expect(chunks).toBeLessThan(200_000);
    expect(response.bodyUsed).toBe(false);
    expect(await upstream.lastRequest(hasOutcome)).toMatchObject({ outcome: 'aborted' });
  });

  it('drops the oldest bodies if their total size exceeds its limit', () => {
    const log = new RequestLog();
    const records = [1, 2, 3].map(() => log.open({ method: 'POST', path: '/', headers: {} }));
    for (const record of records) log.recordBody(record, 'body', 30 * 1024 * 1024);
    expect(records.map((record) => record.body)).toEqual([null, 'body', 'body']);
  });
});
