/** A batch of calls in OTLP: requests in protobuf, compressed. The same calls give the same bytes. */
import { gzipSync } from 'node:zlib';
import { ProtobufMetricsSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { UsageRecord } from '../../ledger/core/usage-record.ts';
import type { AttributeNames } from './attributes.ts';
import { metricsOf } from './call-metrics.ts';
import { spansOf } from './call-spans.ts';

export type { AttributeNames } from './attributes.ts';

export interface ExportBatch {
  /** An `ExportTraceServiceRequest`, as gzip. */
  readonly traces: Uint8Array;
  /** An `ExportMetricsServiceRequest`, as gzip. */
  readonly metrics: Uint8Array;
}

/** The instrumentation of all spans and metrics. */
const SCOPE = 'unified-inference-service';

export function exportBatch(
  calls: readonly UsageRecord[],
  names: AttributeNames,
  service: { readonly name: string; readonly version: string },
): ExportBatch {
  const resource = resourceFromAttributes({
    'service.name': service.name,
    'service.version': service.version,
  });
  const scope = { name: SCOPE, version: service.version };
  const source = { resource, instrumentationScope: scope };
  const spans = calls.flatMap((call) => spansOf(call, names, source));
  const metrics = { resource, scopeMetrics: [{ scope, metrics: metricsOf(calls, names) }] };
  return {
    traces: compressed(ProtobufTraceSerializer.serializeRequest(spans)),
    metrics: compressed(ProtobufMetricsSerializer.serializeRequest(metrics)),
  };
}

const compressed = (bytes: Uint8Array | undefined): Uint8Array => gzipSync(bytes ?? new Uint8Array());
