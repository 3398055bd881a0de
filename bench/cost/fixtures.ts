/** What a deployment has that costs by the month, counted in its own templates. */
import type { Fixtures } from './model.ts';

export interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: object }>>;
}

interface Alarm {
  readonly Metrics?: readonly { readonly MetricStat?: unknown }[];
}

/** Counts the alarms, by the metrics that they read, and the secrets of all stacks. */
export function fixturesOf(templates: readonly Template[], customMetrics: number): Fixtures {
  const resources = templates.flatMap((template) => Object.values(template.Resources));
  const ofType = (type: string) => resources.filter((resource) => resource.Type === type);
  return {
    alarms: ofType('AWS::CloudWatch::Alarm').reduce((sum, alarm) => sum + metricsIn(alarm.Properties), 0),
    secrets: ofType('AWS::SecretsManager::Secret').length,
    customMetrics,
  };
}

/** An alarm is billed by the metrics that it reads. */
const metricsIn = ({ Metrics: metrics = [] }: Alarm = {}): number =>
  Math.max(1, metrics.filter(({ MetricStat: stat }) => stat !== undefined).length);
