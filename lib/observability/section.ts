/** The building blocks of a dashboard. */
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { System } from './system.ts';

export interface Graph {
  readonly title: string;
  readonly left: (system: System) => readonly IMetric[];
  /** Another scale. */
  readonly right?: (system: System) => readonly IMetric[];
}

export interface DashboardSection {
  /** The setting without which a dashboard does not have the section. */
  readonly setting?: 'market';
  readonly title: string;
  readonly graphs: readonly Graph[];
}
