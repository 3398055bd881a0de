/** The sections of the money dashboard: spend and revenue, and the accuracy of the ledger. */
import { METRICS } from '../../lambdas/platform/contract/metrics.ts';
import { schedule, serviceMetric, usd, workflow } from './metrics.ts';
import type { DashboardSection } from './section.ts';

export const MONEY: DashboardSection = {
  title: 'Money',
  graphs: [
    { title: 'Spend, USD', left: ({ config }) => [usd(serviceMetric(config, METRICS.cost), 'spend')] },
    {
      title: 'Calls whose route has a cost in the catalog: cost and margin, USD',
      left: ({ config }) => [
        usd(serviceMetric(config, METRICS.providerCost), 'taken by providers'),
        usd(serviceMetric(config, METRICS.margin), 'margin'),
        usd(serviceMetric(config, METRICS.soldBelowCost), 'lost on calls sold below cost'),
      ],
      right: ({ config }) => [
        serviceMetric(config, METRICS.soldBelowCost, {
          statistic: 'SampleCount',
          label: 'calls sold below cost',
        }),
      ],
    },
    {
      title: 'Prices and costs below the reference prices',
      left: ({ config }) => [
        serviceMetric(config, METRICS.pricesPassed, { statistic: 'Maximum', label: 'prices passed' }),
        serviceMetric(config, METRICS.costsOutdated, { statistic: 'Maximum', label: 'costs out of date' }),
      ],
      right: ({ config }) => [
        serviceMetric(config, METRICS.referencePricesOld, {
          statistic: 'Maximum',
          label: 'the reference is old',
        }),
      ],
    },
    {
      title: 'Usage beyond the bound of its call, not billed, USD',
      left: ({ config }) => [usd(serviceMetric(config, METRICS.unbilled), 'not billed')],
    },
    {
      title: 'Top-ups and balances of all accounts, USD, as of the audit',
      left: ({ config }) => [
        usd(serviceMetric(config, METRICS.topUps), 'top-ups'),
        usd(serviceMetric(config, METRICS.balances), 'balances'),
      ],
    },
    {
      title: 'Payments: orders credited, events without a valid signature, and what no event has brought',
      left: ({ config }) => [
        serviceMetric(config, METRICS.paymentsCredited, { label: 'orders credited' }),
        serviceMetric(config, METRICS.paymentEventsRejected, { label: 'events rejected' }),
      ],
      right: ({ config }) => [
        serviceMetric(config, METRICS.paymentEventsMissed, { label: 'events missed' }),
        serviceMetric(config, METRICS.paymentEventsFailed, { label: 'events failed' }),
        serviceMetric(config, METRICS.paymentDifferences, { label: 'differences' }),
        ...(config.market
          ? [
              serviceMetric(config, METRICS.latestPayout, {
                statistic: 'Maximum',
                label: 'payout late, seconds',
              }),
            ]
          : []),
      ],
    },
    {
      title: 'Open holds and the age of the oldest',
      left: ({ config }) => [
        serviceMetric(config, METRICS.holdsOpen, { statistic: 'Maximum', label: 'open' }),
      ],
      right: ({ config }) => [
        serviceMetric(config, METRICS.overdueHold, { statistic: 'Maximum', label: 'overdue, seconds' }),
      ],
    },
  ],
};

export const MAINTENANCE: DashboardSection = {
  title: 'Reconciliation and maintenance',
  graphs: [
    {
      title: 'Drift of the ledger, nano-USD',
      left: ({ config }) => [
        serviceMetric(config, METRICS.auditDrift, { statistic: 'Maximum', label: 'drift' }),
      ],
      right: ({ config }) => [
        serviceMetric(config, METRICS.accountsAudited, { label: 'accounts proven' }),
        serviceMetric(config, METRICS.accountsUnproven, { label: 'accounts unproven' }),
      ],
    },
    {
      title: 'Holds of crashed calls',
      left: ({ config }) => [
        serviceMetric(config, METRICS.holdsSettled, { label: 'settled' }),
        serviceMetric(config, METRICS.holdsReleased, { label: 'released' }),
      ],
    },
    {
      title: 'Workflows that succeeded and failed',
      left: ({ workflows }) => workflows.map((each) => workflow(each, 'ExecutionsSucceeded')),
      right: ({ workflows }) => workflows.map((each) => workflow(each, 'ExecutionsFailed')),
    },
    {
      title: 'Schedules',
      left: ({ schedules }) => schedules.map((each) => schedule(each, 'Invocations')),
    },
  ],
};
