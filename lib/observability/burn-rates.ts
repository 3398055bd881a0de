/**
 * Alarms on the rate at which paid calls use up the error budget of the availability objective. Each is raised while
 * two windows have burnt faster than its rate: a long one, which shows the significance, and a short one, which shows
 * the persistence.
 */
import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS } from '../../lambdas/platform/contract/metrics.ts';
import type { Config } from '../config/config.ts';
import { api, serviceMetric } from './metrics.ts';
import type { WatchedSystem } from './system.ts';
import type { AlarmRow, Watch } from './watch.ts';

export interface BurnRow extends Pick<AlarmRow, 'severity' | 'meaning'> {
  /** The multiple of the allowed share of failures. At 1, a month's allowance is used up in a month. */
  readonly rate: number;
  readonly windows: { readonly long: Duration; readonly short: Duration };
}

/**
 * Multiwindow, multi-burn-rate alerts (Google SRE workbook, Alerting on SLOs). A burn rate of 14.4 uses 2 % of a month's error
 * budget in an hour; a burn rate of 6 uses 5 % in six hours.
 */
const FAST_RATE = 14.4;

export const BURNS: Readonly<Record<string, BurnRow>> = {
  'availability-fast': {
    severity: 'critical',
    meaning: 'Paid calls fail so often that within two days the month’s allowance would be used up.',
    rate: FAST_RATE,
    windows: { long: Duration.hours(1), short: Duration.minutes(5) },
  },
  'availability-slow': {
    severity: 'warning',
    meaning:
      'For hours, paid calls have failed so often that within five days the month’s allowance would be used up.',
    rate: 6,
    windows: { long: Duration.hours(6), short: Duration.minutes(30) },
  },
};

/** Fewer failures than this in the long window wake no person, at any share of the calls. */
const MIN_FAILURES = 5;

/** Percent of the paid calls that fail, in a window; without enough failures 0. */
const failing = (config: Config, period: Duration, minFailures: number) =>
  new MathExpression({
    expression: `IF(FILL(failed, 0) >= ${minFailures}, 100 * FILL(failed, 0) / (FILL(failed, 0) + FILL(settled, 0)), 0)`,
    usingMetrics: {
      failed: serviceMetric(config, METRICS.requestsFailed, { period }),
      settled: serviceMetric(config, METRICS.callsSettled, { period }),
    },
    label: 'failed, % of calls',
    period,
  });

/** The share of failures at a rate, in percent; one above 100 % is reduced to 100 %. */
const thresholdAt = (rate: number, { availabilityPercent }: Config): number =>
  Math.min(100, Number((rate * (100 - availabilityPercent)).toFixed(6)));

/**
 * Returns the alarm of an API whose requests are not calls. It has the long window alone: a composite alarm costs as much
 * as five others, and the short window would change only when the alarm ends, up to an hour sooner.
 */
export function apiBurnWatch(subject: WatchedSystem, config: Config): Omit<Watch, 'subject'> {
  const period = Duration.hours(1);
  return {
    metric: new MathExpression({
      expression: `IF(failed >= ${MIN_FAILURES}, 100 * failed / requests, 0)`,
      usingMetrics: {
        failed: api(subject, '5XXError', { period }),
        requests: api(subject, 'Count', { period }),
      },
      label: 'failed, % of requests',
      period,
    }),
    threshold: thresholdAt(FAST_RATE, config),
  };
}

/** Returns the alarms of the two windows. */
export function burnWatches(
  { rate, windows }: BurnRow,
  config: Config,
): Readonly<Record<'long' | 'short', Watch>> {
  const threshold = thresholdAt(rate, config);
  return {
    long: { metric: failing(config, windows.long, MIN_FAILURES), threshold },
    // One current failure is sufficient here: the long window shows the significance.
    short: { metric: failing(config, windows.short, 1), threshold },
  };
}
