/** Makes what functions print readable in a terminal. */

/** Keys of every line that say nothing on one machine: Powertools' own, and the second id of a request. */
const NOISE = new Set([
  'cold_start',
  'function_arn',
  'function_memory_size',
  'function_name',
  'function_request_id',
  'functionRequestId',
  'level',
  'message',
  'sampling_rate',
  'service',
  'timestamp',
  'xray_trace_id',
]);

/**
 * Formats one printed line: a Powertools log record as `HH:MM:SS LEVEL function message key=value`, anything else as
 * it is after the function's name. The metrics of a record are for CloudWatch only; a record of metrics alone is
 * undefined.
 */
export function formatLogLine(label: string, line: string): string | undefined {
  const record = parseRecord(line);
  if (record === undefined) return `${clock(new Date())} ${label} ${line}`;
  const { level, message, _aws: metrics } = record;
  if (metrics !== undefined && message === undefined) return undefined;
  const hidden = new Set([...NOISE, '_aws', ...metricNames(metrics)]);
  if (typeof level !== 'string' || message === undefined) return `${clock(new Date())} ${label} ${line}`;
  const when = new Date(String(record.timestamp));
  const details = Object.entries(record)
    .filter(([key]) => !hidden.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const time = clock(Number.isNaN(when.getTime()) ? new Date() : when);
  return [
    time,
    level,
    label,
    typeof message === 'string' ? message : JSON.stringify(message),
    ...details,
  ].join(' ');
}

/** Names of the metrics and dimensions of a record (CloudWatch embedded metric format, section "EMF schema"). */
function metricNames(metadata: unknown): readonly string[] {
  const { CloudWatchMetrics: directives = [] } = Object(metadata) as {
    readonly CloudWatchMetrics?: readonly {
      readonly Dimensions?: readonly (readonly string[])[];
      readonly Metrics?: readonly { readonly Name: string }[];
    }[];
  };
  return directives.flatMap(({ Dimensions: dimensions = [], Metrics: metrics = [] }) => [
    ...dimensions.flat(),
    ...metrics.map(({ Name: name }) => name),
  ]);
}

/** `HH:MM:SS`, local time. */
export function clock(date: Date): string {
  return date.toTimeString().slice(0, 8);
}

function parseRecord(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
