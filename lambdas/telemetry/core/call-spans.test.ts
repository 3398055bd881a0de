import { describe, expect, it } from '@jest/globals';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { UsageRecord } from '../../ledger/core/usage-record.ts';
import { attemptSpanId, callSpanId, traceIdOf } from '../../platform/core/trace-context.ts';
import { CALL, CALLS } from '../testing/calls.ts';
import { metricsOf } from './call-metrics.ts';
import { spansOf } from './call-spans.ts';

const source = { resource: resourceFromAttributes({}), instrumentationScope: { name: 'test' } };

const spans = (call: UsageRecord) => spansOf(call, 'stable', source);

const ms = ([seconds, nanoseconds]: readonly [number, number]) => seconds * 1_000 + nanoseconds / 1e6;

describe('the spans of a call', () => {
  it('consist of one of the server below the span of the caller, and one of a client for each attempt', () => {
    const [server, first, second] = spans(CALL);
    expect(spans(CALL)).toHaveLength(3);
    expect(server).toMatchObject({
      name: 'chat anthropic/claude-sonnet-5.5',
      kind: SpanKind.SERVER,
      parentSpanContext: { spanId: '00f067aa0ba902b7', isRemote: true },
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'gen_ai.provider.name': 'anthropic',
        'gen_ai.usage.input_tokens': 1_000,
        'unified_inference.cost.usd': '0.001234567',
        'unified_inference.cost.nano_usd': 1_234_567,
      },
    });
    expect(first).toMatchObject({
      kind: SpanKind.CLIENT,
      parentSpanContext: { spanId: callSpanId(CALL.id), isRemote: false },
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': '429', 'http.response.status_code': 429, 'unified_inference.attempt': 1 },
    });
    expect(second?.status).toEqual({ code: SpanStatusCode.UNSET });
    expect([first, second].map((span) => span?.spanContext().spanId)).toEqual(
      [1, 2].map((number) => attemptSpanId(CALL.id, number)),
    );
    for (const span of spans(CALL))
      expect(span.spanContext().traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
  });

  it('lie within the call, which ends in the second of its settlement', () => {
    for (const call of CALLS) {
      const [server, ...clients] = spans(call).map(({ startTime, endTime }) => [ms(startTime), ms(endTime)]);
      const [start = 0, end = 0] = server ?? [];
      expect(Math.floor(end / 1_000)).toBe(Math.max(call.created, Math.floor(start / 1_000)));
      for (const [from = 0, to = 0] of clients)
        expect([from >= start, to >= from, to <= end]).toEqual([true, true, true]);
    }
  });

  it('name a trace of their own if the caller named none, and number the attempts that the record has', () => {
    const { traceparent: _trace, ...call } = CALL;
    const [server, client] = spans({ ...call, attempts: 5, routeAttempts: CALL.routeAttempts?.slice(1) });
    expect(server).not.toHaveProperty('parentSpanContext');
    expect(server?.spanContext()).toMatchObject({ traceId: traceIdOf(CALL.id), traceFlags: 1 });
    expect(client?.spanContext().spanId).toBe(attemptSpanId(CALL.id, 5));
  });

  it.each(['interrupted', 'failed', 'expired'] as const)('name the error of a call that is %s', (status) => {
    const [server, , last] = spans({ ...CALL, status });
    for (const span of [server, last])
      expect(span).toMatchObject({
        attributes: { 'error.type': status },
        status: { code: SpanStatusCode.ERROR },
      });
  });
});

describe('the metrics of calls', () => {
  it('add up to the tokens and the cost of the records', () => {
    const metrics = new Map(metricsOf(CALLS, 'stable').map((metric) => [metric.descriptor.name, metric]));
    const total = (name: string, read: (value: unknown) => number) =>
      metrics.get(name)?.dataPoints.reduce((sum, { value }) => sum + read(value), 0);
    expect(total('unified_inference.cost', Number)).toBe(
      Number(CALLS.reduce((sum, { cost }) => sum + cost, 0n)),
    );
    const tokens = CALLS.filter(({ unit }) => unit === 'token');
    expect(total('gen_ai.client.token.usage', (value) => (value as { sum: number }).sum)).toBe(
      tokens.reduce((sum, { inputUnits, outputUnits }) => sum + inputUnits + outputUnits, 0),
    );
    for (const { dataPoints } of metrics.values())
      for (const { value } of dataPoints)
        if (typeof value === 'object' && 'buckets' in value)
          expect(value.buckets.counts.reduce((sum, count) => sum + count, 0)).toBe(value.count);
  });

  it('count a value in the first bucket whose bound is not below it', () => {
    const [metric] = metricsOf(
      [
        { ...CALL, durationMs: 20 },
        { ...CALL, durationMs: 90_000 },
      ],
      'stable',
    );
    const [point] = metric?.dataPoints ?? [];
    const counts = [0, 1, ...new Array(12).fill(0), 1];
    expect(point?.value).toMatchObject({ buckets: { counts } });
  });
});
