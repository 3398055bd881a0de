/** The alarm of the calls that the deployment makes to itself, unless the settings disable them. */
import { Duration } from 'aws-cdk-lib';
import { lambda } from './metrics.ts';
import { type AlarmRow, each } from './watch.ts';

/** The function whose run fails if one of its calls does. */
export const SMOKE = 'inference-run-smoke';

export const SMOKE_ALARMS: Readonly<Record<string, AlarmRow>> = {
  'smoke-failed': {
    severity: 'critical',
    meaning: 'Calls that the service makes of itself fail, or are no longer made.',
    watches: ({ config, functions }) =>
      each(functions.filter(({ label }) => label === SMOKE))((subject) => ({
        metric: lambda(subject, 'Errors', { period: Duration.minutes(config.smoke?.everyMinutes ?? 1) }),
        threshold: 1,
        periods: { breaching: 2, of: 3 },
        // There is none before the first run.
        silence: 'reported once it has spoken',
      })),
  },
};
