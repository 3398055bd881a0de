/** Makes what functions print readable in a terminal. */

/** Keys that Powertools adds to every line and that say nothing on one machine. */
const NOISE = new Set([
  'cold_start',
  'function_arn',
  'function_memory_size',
  'function_name',
  'function_request_id',
  'level',
  'message',
  'sampling_rate',
  'service',
  'timestamp',
  'xray_trace_id',
]);

/**
 * Formats one printed line: a Powertools log record as `HH:MM:SS LEVEL function message key=value`, anything else as
 * it is after the function's name. Returns undefined for a metrics record, which is for CloudWatch only.
 */
export function formatLogLine(label: string, line: string): string | undefined {
  const record = parseRecord(line);
  if (record === undefined) return `${clock(new Date())} ${label} ${line}`;
  if ('_aws' in record) return undefined;
  const { level, message } = record;
  if (typeof level !== 'string' || message === undefined) return `${clock(new Date())} ${label} ${line}`;
  const when = new Date(String(record.timestamp));
  const details = Object.entries(record)
    .filter(([key]) => !NOISE.has(key))
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
