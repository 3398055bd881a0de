/** What watches the calls that the deployment makes of itself, where the settings have them made. */
import { Duration } from 'aws-cdk-lib';
import { METRICS } from '../../lambdas/contract/metrics.ts';
import { own } from './metrics.ts';
import type { AlarmRow } from './watch.ts';

export const SMOKE_ALARMS: Readonly<Record<string, AlarmRow>> = {
  'smoke-failed': {
    severity: 'critical',
    meaning: 'Calls that the service makes of itself fail, or are no longer made.',
    watches: ({ config }) => {
      if (config.smoke === undefined) return [];
      const period = Duration.minutes(config.smoke.everyMinutes);
      return [
        {
          metric: own(config, METRICS.smokeFailed, { statistic: 'Maximum', period }),
          threshold: 1,
          periods: { breaching: 2, of: 3 },
          // There is none before the first run, and none before a key has been stored.
          silence: 'reported once it has spoken',
        },
      ];
    },
  },
};
