/**
 * The rows of the registry of alarms that monitor money: the cost of calls, the ledger, and the holds of calls that
 * died.
 */
import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS } from '../../lambdas/platform/contract/metrics.ts';
import { lambda, serviceMetric, workflow } from './metrics.ts';
import { type AlarmRow, each, once } from './watch.ts';

const [HOUR, DAY] = [Duration.hours(1), Duration.days(1)];

/** A schedule's period, twice over: one sweep may be late. */
const SWEEP_GRACE_SECONDS = 600;

/** Twelve runs: one may fail, and the next ones work off a backlog. */
const MAX_DUE_SECONDS = 3_600;

/** A lost response takes an hour or two, and the provider's balance is looked at in working hours. */
const MAX_PAYOUT_SECONDS = 86_400;

/** A day, with two hours for the run and for clocks. */
const RECONCILIATION_HOURS = 26;

/** A loss of less than a dollar a day is not worth a person's time, whatever share it is. */
const MIN_LOSS_NANO_USD = 1_000_000_000;

export const MONEY_ALARMS: Readonly<Record<string, AlarmRow>> = {
  unbilled: {
    severity: 'warning',
    meaning:
      'Within a day, routes reported usage of more than a dollar beyond the bounds of their calls, unbilled.',
    watches: ({ config }) => ({
      metric: serviceMetric(config, METRICS.unbilled, { period: DAY }),
      threshold: MIN_LOSS_NANO_USD,
    }),
  },
  'sold-below-cost': {
    severity: 'warning',
    meaning:
      'Within a day, calls sold below their cost lost more than one percent of what providers took, and a dollar.',
    // A fallback to a dearer route now and then stays below one percent: 3 % of calls at a loss of a quarter make 0.75 %.
    watches: ({ config }) => ({
      metric: new MathExpression({
        expression: `IF(lost >= ${MIN_LOSS_NANO_USD}, 100 * lost / taken, 0)`,
        usingMetrics: {
          lost: serviceMetric(config, METRICS.soldBelowCost, { period: DAY }),
          taken: serviceMetric(config, METRICS.providerCost, { period: DAY }),
        },
        label: 'lost, % of what providers took',
        period: DAY,
      }),
      threshold: 1,
    }),
  },
  'price-passed': {
    severity: 'warning',
    meaning: 'By the reference prices, a provider takes more for something than the catalog sells it for.',
    // Checked once per day: a shorter period would end the alarm until the next check.
    watches: ({ config }) =>
      once(serviceMetric(config, METRICS.pricesPassed, { period: DAY, statistic: 'Maximum' })),
  },
  'cost-outdated': {
    severity: 'warning',
    meaning: 'By the reference prices, a provider takes more than the cost of its route in the catalog.',
    watches: ({ config }) =>
      once(serviceMetric(config, METRICS.costsOutdated, { period: DAY, statistic: 'Maximum' })),
  },
  'reference-prices-old': {
    severity: 'warning',
    meaning: 'The reference prices were read more than 30 days ago: what has changed since is not noticed.',
    watches: ({ config }) =>
      once(serviceMetric(config, METRICS.referencePricesOld, { period: DAY, statistic: 'Maximum' })),
  },
  'payment-events-missed': {
    severity: 'critical',
    meaning:
      'The payment provider took money that no event credited: its events are rejected, or do not arrive.',
    // Counts what the provider itself confirms: events that a stranger made up page nobody.
    watches: ({ config }) => once(serviceMetric(config, METRICS.paymentEventsMissed, { period: HOUR })),
  },
  'payment-events-failed': {
    severity: 'critical',
    meaning:
      'Within an hour, the service failed to process events of the payment provider: who has paid waits.',
    // The provider repeats an event after minutes, then hours: a fault that passed does not fail twice.
    watches: ({ config, functions }) =>
      functions
        .filter(({ label }) => label === 'platform-receive-payment-event')
        .map((receiver) => ({
          metric: new MathExpression({
            expression: 'FILL(failed, 0) + FILL(died, 0)',
            usingMetrics: {
              failed: serviceMetric(config, METRICS.paymentEventsFailed, { period: HOUR }),
              died: lambda(receiver, 'Errors', { period: HOUR }),
            },
            label: 'failed events',
            period: HOUR,
          }),
          threshold: 2,
        })),
  },
  'reconciliation-missing': {
    severity: 'critical',
    meaning: 'The orders have not been compared with the payments of the provider for 26 hours.',
    watches: ({ config }) => ({
      metric: serviceMetric(config, METRICS.paymentsReconciled, { period: HOUR }),
      threshold: 1,
      when: 'below',
      periods: { breaching: RECONCILIATION_HOURS, of: RECONCILIATION_HOURS },
      // There is none before the first morning.
      silence: 'reported once it has spoken',
    }),
  },
  'payments-differ': {
    severity: 'critical',
    meaning: 'The orders differ from the payments, refunds or disputes of the payment provider.',
    // Compared once a day: a shorter period would end the alarm until the next comparison.
    watches: ({ config }) =>
      once(serviceMetric(config, METRICS.paymentDifferences, { period: DAY, statistic: 'Maximum' })),
  },
  'audit-drift': {
    severity: 'critical',
    meaning: 'The ledger of an account does not balance.',
    watches: ({ config }) => once(serviceMetric(config, METRICS.auditDrift, { statistic: 'Maximum' })),
  },
  'accounts-unproven': {
    severity: 'warning',
    meaning: 'Two nights in a row, the audit could not prove the ledger of an account.',
    // One night may meet an account in the middle of its conversion, or a database that is overloaded.
    watches: ({ config }) => ({
      metric: serviceMetric(config, METRICS.accountsUnproven, { period: DAY }),
      threshold: 1,
      periods: { breaching: 2, of: 2 },
    }),
  },
  'audit-missing': {
    severity: 'critical',
    meaning: 'No audit has come to its end for two days.',
    watches: ({ workflows }) =>
      each(workflows.filter(({ label }) => label === 'audit-books'))((subject) => ({
        metric: workflow(subject, 'ExecutionsSucceeded', { period: DAY }),
        threshold: 1,
        when: 'below',
        periods: { breaching: 2, of: 2 },
      })),
  },
  'due-items-late': {
    severity: 'critical',
    meaning: 'A sale has been due for an hour, and has neither matured nor been held.',
    // The function raises the age of what is left over; the nightly audit raises it if the function does not run.
    watches: ({ config }) =>
      config.market
        ? [
            {
              metric: serviceMetric(config, METRICS.oldestDueItem, { statistic: 'Maximum' }),
              threshold: MAX_DUE_SECONDS,
            },
          ]
        : [],
  },
  'payouts-stuck': {
    severity: 'critical',
    meaning: 'A payout to a seller has made no progress for a day.',
    watches: ({ config }) =>
      config.marketPayouts === 'none'
        ? []
        : {
            metric: serviceMetric(config, METRICS.latestPayout, { statistic: 'Maximum' }),
            threshold: MAX_PAYOUT_SECONDS,
          },
  },
  'holds-stuck': {
    severity: 'critical',
    meaning: 'A hold has outlived its expiry by two sweeps: credit is locked that no call uses.',
    watches: ({ config }) => ({
      metric: serviceMetric(config, METRICS.overdueHold, { statistic: 'Maximum' }),
      threshold: SWEEP_GRACE_SECONDS,
    }),
  },
  'holds-released': {
    severity: 'warning',
    meaning: 'Ten calls within an hour died without settling; their holds were released unpaid.',
    watches: ({ config }) => ({
      metric: serviceMetric(config, METRICS.holdsReleased, { period: HOUR }),
      threshold: 10,
    }),
  },
  'recordings-left': {
    severity: 'warning',
    meaning:
      'Within a day, the sweeper deleted more than twenty recordings and jobs that their calls had left.',
    // One call that dies leaves up to four: its recording, its transcript, the check file of Transcribe, and its job.
    watches: ({ config }) =>
      config.transcribe
        ? { metric: serviceMetric(config, METRICS.recordingsSwept, { period: DAY }), threshold: 21 }
        : [],
  },
  'sweep-missing': {
    severity: 'critical',
    meaning: 'The sweeper of expired holds has not run for half an hour.',
    watches: ({ config }) => ({
      metric: serviceMetric(config, METRICS.holdsOpen, {
        statistic: 'SampleCount',
        period: Duration.minutes(15),
      }),
      threshold: 1,
      when: 'below',
      periods: { breaching: 2, of: 2 },
    }),
  },
};
