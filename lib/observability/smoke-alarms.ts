/** The alarms of the calls that the deployment makes to itself, if the settings enable them. */
import { Duration } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS } from '../../lambdas/platform/contract/metrics.ts';
import type { Config } from '../config/config.ts';
import { serviceMetric } from './metrics.ts';
import type { AlarmRow } from './watch.ts';

/** Returns the metrics of the results of the calls. */
export const smokeRuns = (config: Config): readonly Metric[] =>
  config.smoke === undefined
    ? []
    : [
        serviceMetric(config, METRICS.smokeSucceeded, { label: 'smoke test: passed' }),
        serviceMetric(config, METRICS.smokeFailed, { label: 'smoke test: failed' }),
        serviceMetric(config, METRICS.smokeNotConfigured, { label: 'smoke test: without a key' }),
      ];

export const SMOKE_ALARMS: Readonly<Record<string, AlarmRow>> = {
  'smoke-failed': {
    severity: 'critical',
    meaning: 'Calls that the service makes of itself fail, or are no longer made.',
    watches: ({ config }) => {
      if (config.smoke === undefined) return [];
      const period = Duration.minutes(config.smoke.everyMinutes);
      return [
        {
          metric: serviceMetric(config, METRICS.smokeFailed, { statistic: 'Maximum', period }),
          threshold: 1,
          periods: { breaching: 2, of: 3 },
          // There is none before the first run, and none before a key has been stored.
          silence: 'reported once it has spoken',
        },
      ];
    },
  },
};
