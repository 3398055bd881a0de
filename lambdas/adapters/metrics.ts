/** Metrics as CloudWatch's embedded metric format on standard output, through Powertools; one line a call. */
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRIC_NAMESPACE } from '../contract/metrics.ts';
import type { Metric } from '../core/ports.ts';

/** Raises a metric at once: a call that dies afterwards has raised it all the same. */
export function createMetric(): Metric {
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE });
  return (name, value) => {
    metrics.addMetric(name, MetricUnit.Count, value);
    metrics.publishStoredMetrics();
  };
}
