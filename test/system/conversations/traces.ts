/** A trace that the AI SDK has begun: the spans of its call join it, at the service and at the upstream. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it } from '@jest/globals';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { generateText } from 'ai';
import type { UsageRecord } from '../../../lambdas/ledger/core/usage-record.ts';
import { spansOf } from '../../../lambdas/telemetry/core/call-spans.ts';
import { exportBatch } from '../../../lambdas/telemetry/core/export-batch.ts';
import { createOperator } from '../../../operator/operator.ts';
import { readLocalTarget } from '../../../operator/target.ts';
import { service } from './service.ts';

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const HOUR_MS = 3_600_000;
const MODEL = 'sim/chat-failover';

/** The span of the SDK's model call, in whose context its request is sent. */
const activeSpan = new AsyncLocalStorage<string>();

const tracedFetch: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers);
  const span = activeSpan.getStore();
  if (span !== undefined) headers.set('traceparent', span);
  return fetch(url, { ...init, headers });
};

/** The ids of the traces that the list of a key's calls and its newest receipt name. */
async function namedTraces(key: string) {
  const read = async (path: string) => (await service.fetch(`/v1/usage${path}`, { key })).json();
  const { data } = (await read('')) as { data: readonly { id: string; trace_id: string | null }[] };
  const receipt = (await read(`/${data[0]?.id}`)) as { trace_id: string | null };
  return [...data, receipt].map(({ trace_id: id }) => id);
}

async function recordsOf(accountId: string) {
  const operator = createOperator(readLocalTarget(service.directory), SILENT);
  try {
    const span = { fromMs: Date.now() - HOUR_MS, toMs: Date.now() + HOUR_MS };
    const records: UsageRecord[] = [];
    for await (const record of operator.usageOf(accountId, span)) records.push(record);
    return records;
  } finally {
    operator.close();
  }
}

const source = { resource: resourceFromAttributes({}), instrumentationScope: { name: 'test' } };

const tracesSince = async (sequence: number) =>
  (await service.received(sequence)).map(({ headers }) => headers?.traceparent);

const lastSequence = async () => (await service.received()).at(-1)?.sequence ?? 0;

describe('a call of the AI SDK within a trace', () => {
  it('gets a span below that of the SDK, and one for each attempt, of which the upstream is told', async () => {
    const { id, key } = await service.account('1');
    const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
    const before = await lastSequence();
    const openai = createOpenAI({
      baseURL: `${service.session.base_url}/v1`,
      apiKey: key,
      fetch: tracedFetch,
    });
    await generateText({
      model: openai.chat(MODEL),
      prompt: 'Repeat exactly: once',
      maxRetries: 0,
      telemetry: {
        integrations: {
          executeLanguageModelCall: ({ execute }) => activeSpan.run(`00-${traceId}-${spanId}-01`, execute),
        },
      },
    });
    const [record] = await recordsOf(id);
    if (record === undefined) throw new Error('the call has no record');
    const [server, ...clients] = spansOf(record, 'stable', source);
    expect(server?.parentSpanContext).toMatchObject({ traceId, spanId, isRemote: true });
    expect(server?.spanContext()).toMatchObject({ traceId, traceFlags: 1 });
    expect(await namedTraces(key)).toEqual([traceId, traceId]);
    expect(clients).toHaveLength(2);
    expect(clients.map(({ attributes }) => attributes['unified_inference.route.id'])).toEqual([
      'sim-failover-dead',
      'sim-failover-live',
    ]);
    expect(clients.map(({ attributes }) => attributes['error.type'])).toEqual(['connection', undefined]);
    const ids = clients.map((span) => span.spanContext().spanId);
    expect(await tracesSince(before)).toEqual([`00-${traceId}-${ids.at(-1)}-01`]);
    const { traces } = exportBatch([record], 'stable', { name: 'service', version: '1' });
    for (const part of [traceId, spanId, ...ids])
      expect(gunzipSync(traces).includes(Buffer.from(part, 'hex'))).toBe(true);
  });

  it('names no trace to the upstream if the header is malformed, which is no error', async () => {
    const { id, key } = await service.account('1');
    const before = await lastSequence();
    const headers = { traceparent: '00-nothing', tracestate: 'a=canary' };
    const body = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] };
    expect((await service.chat(body, { key, headers })).status).toBe(200);
    expect(await tracesSince(before)).toEqual([undefined]);
    const [record] = await recordsOf(id);
    expect(record).not.toHaveProperty('traceparent');
    expect(await namedTraces(key)).toEqual([null, null]);
    expect(record?.durationMs).toBeGreaterThanOrEqual(0);
  });
});
