/** Metrics as CloudWatch's embedded metric format on standard output; one line however many it raises. */
import { SERVICE_NAME } from '../contract/limits.ts';
import { METRIC_NAMESPACE, METRIC_NAMESPACE_VARIABLE } from '../contract/metrics.ts';
import type { Measure, Measurement, Metric } from '../core/ports.ts';

/**
 * The members that make a JSON log line raise metrics (CloudWatch user guide, "Specification: Embedded metric
 * format"). Every metric has the dimension `application`; those with more are raised a second time with them.
 */
export function embedded(
  { values, dimensions = {} }: Measurement,
  timestampMs: number,
): Record<string, unknown> {
  const names = Object.keys(dimensions);
  return {
    _aws: {
      Timestamp: timestampMs,
      CloudWatchMetrics: [
        {
          Namespace: process.env[METRIC_NAMESPACE_VARIABLE] ?? METRIC_NAMESPACE,
          Dimensions: [['application'], ...(names.length === 0 ? [] : [['application', ...names]])],
          Metrics: Object.keys(values).map((name) => ({ Name: name, Unit: unitOf(name) })),
        },
      ],
    },
    // Not the function: a metric each would say no more than the line itself, and cost more.
    application: SERVICE_NAME,
    ...dimensions,
    ...values,
  };
}

function unitOf(name: string): string {
  if (name.endsWith('Ms')) return 'Milliseconds';
  if (name.endsWith('Bytes')) return 'Bytes';
  return name.endsWith('Seconds') ? 'Seconds' : 'Count';
}

/** Raises metrics at once: a call that dies afterwards has raised them all the same. */
export function createMeasure(): Measure {
  // CloudWatch reads a separate line; a logger would put its fields around it.
  return (measured) => void process.stdout.write(`${JSON.stringify(embedded(measured, Date.now()))}\n`);
}

/** Raises one metric at once. */
export function createMetric(): Metric {
  const measure = createMeasure();
  return (name, value) => measure({ values: { [name]: value } });
}

/** Returns the values above zero, and those that are always raised: a metric costs the hours in which it is raised. */
export const aboveZero = (always: readonly string[], values: Measurement['values']): Measurement['values'] =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value > 0 || always.includes(name)));
