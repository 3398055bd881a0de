/** The building blocks of a dashboard. */
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { type MetricName, type ServiceMetricOptions, serviceMetric } from './metrics.ts';
import type { System } from './system.ts';

type Lines = (system: System) => readonly IMetric[];

export interface Graph {
  readonly title: string;
  readonly left: Lines;
  /** Another scale. */
  readonly right?: Lines | undefined;
}

export interface DashboardSection {
  /** The setting without which a dashboard does not have the section. */
  readonly setting?: 'market';
  readonly title: string;
  readonly graphs: readonly Graph[];
}

export const graph = (title: string, left: Lines, right?: Lines): Graph => ({ title, left, right });

/** Returns a line for each metric of the service, by its label. */
export const lines =
  (metrics: Readonly<Record<string, MetricName>>, options?: Omit<ServiceMetricOptions, 'label'>): Lines =>
  ({ config }) =>
    Object.entries(metrics).map(([label, metric]) => serviceMetric(config, metric, { ...options, label }));
