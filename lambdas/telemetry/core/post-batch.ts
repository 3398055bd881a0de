/** Posts a batch of calls as OTLP/HTTP: its spans, then its metrics (OpenTelemetry Protocol specification, OTLP/HTTP). */
import * as z from 'zod';
import type { UsageRecord } from '../../ledger/core/usage-record.ts';
import type { PostEvent, Send, SendResult } from '../../webhooks/core/ports.ts';
import { settingsOf } from './destination.ts';
import { exportBatch } from './export-batch.ts';

export interface PostBatchDependencies {
  readonly send: Send;
  /** Reads a record as it is stored. */
  readonly decode: (item: object) => UsageRecord;
  /** The service, as the resource of all telemetry names it. */
  readonly service: { readonly name: string; readonly version: string };
}

const batchSchema = z.object({ calls: z.array(z.looseObject({})).min(1) });

/** After any other error, a client must not send the same again (the specification, Retryable Response Codes). */
const RETRYABLE: readonly (number | undefined)[] = [undefined, 429, 502, 503, 504];

/**
 * Returns the function that posts a batch. Metrics are sums of the batch: they go last and only after the spans, whose
 * ids are the same each time, so that an attempt that is repeated counts twice only if the response to its metrics was
 * lost. Nothing of a response is kept: it may repeat headers.
 */
export const createBatchPost =
  ({ send, decode, service }: PostBatchDependencies): PostEvent =>
  async (opened, event) => {
    const { headers, attribute_names: names } = settingsOf(opened);
    const calls = batchSchema.parse(event.data).calls.map(decode);
    const batch = exportBatch(calls, names, service);
    const base = opened.subscription.url.replace(/\/+$/, '');
    const post = async (path: string, body: Uint8Array) =>
      resultOf(
        await send({
          url: `${base}${path}`,
          headers: {
            ...headers,
            'content-type': 'application/x-protobuf',
            'content-encoding': 'gzip',
            'user-agent': `${service.name}/${service.version}`,
          },
          body,
        }),
      );
    const traces = await post('/v1/traces', batch.traces);
    if (traces.outcome !== 'delivered' && !traces.isFinal) return traces;
    const metrics = await post('/v1/metrics', batch.metrics);
    return metrics.outcome === 'delivered' ? traces : metrics;
  };

function resultOf({ outcome, status, retryAfter, body = '' }: SendResult): SendResult {
  const known = status === undefined ? {} : { status };
  if (outcome === 'delivered')
    return isPartial(body) ? { outcome: 'status', ...known, isFinal: true } : { outcome, ...known };
  if (!RETRYABLE.includes(status)) return { outcome, ...known, isFinal: true };
  return { outcome, ...known, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/**
 * Returns whether a response says that a part was rejected: its first field is a message whose first field, a count, is
 * not 0 (opentelemetry-proto, ExportTraceServiceResponse). A client must not send such a request again.
 */
function isPartial(body: string): boolean {
  const count = body.indexOf('\b');
  return body.startsWith('\n') && (count === 2 || count === 3) && body[count + 1] !== '\0';
}
