/**
 * Alarms on how fast paid calls use up the errors that the objective of availability allows: each is raised while both a long
 * window, which says that it matters, and a short one, which says that it goes on, have burnt faster than its rate.
 */
import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS } from '../../lambdas/platform/contract/metrics.ts';
import type { Config } from '../config/config.ts';
import { own } from './metrics.ts';
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
export const BURNS: Readonly<Record<string, BurnRow>> = {
  'availability-fast': {
    severity: 'critical',
    meaning: 'Paid calls fail so often that within two days the month’s allowance would be used up.',
    rate: 14.4,
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

/** Fewer failures than this in the long window are no reason to wake anybody, whatever share of the calls they are. */
const LEAST_FAILURES = 5;

/** Percent of the paid calls that fail, in a window; without enough failures 0. */
const failing = (config: Config, period: Duration, least: number) =>
  new MathExpression({
    expression: `IF(FILL(failed, 0) >= ${least}, 100 * FILL(failed, 0) / (FILL(failed, 0) + FILL(settled, 0)), 0)`,
    usingMetrics: {
      failed: own(config, METRICS.requestsFailed, { period }),
      settled: own(config, METRICS.callsSettled, { period }),
    },
    label: 'failed, % of calls',
    period,
  });

/** The alarms of the two windows. A rate that no share of failures can reach is held to one that it can. */
export function burnWatches(
  { rate, windows }: BurnRow,
  config: Config,
): Readonly<Record<'long' | 'short', Watch>> {
  const threshold = Math.min(100, Number((rate * (100 - config.availabilityPercent)).toFixed(6)));
  return {
    long: { metric: failing(config, windows.long, LEAST_FAILURES), threshold },
    // That a call fails now is enough: whether it matters, the other says.
    short: { metric: failing(config, windows.short, 1), threshold },
  };
}
