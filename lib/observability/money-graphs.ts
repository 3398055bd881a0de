/** The sections of the money dashboard: what was spent and earned, and how the books are kept. */
import { METRICS } from '../../lambdas/platform/contract/metrics.ts';
import { own, schedule, usd, workflow } from './metrics.ts';
import type { DashboardSection } from './section.ts';

export const MONEY: DashboardSection = {
  title: 'Money',
  graphs: [
    { title: 'Spend, USD', left: ({ config }) => [usd(own(config, METRICS.cost), 'spend')] },
    {
      title: 'Calls whose route has a cost in the catalog: cost and margin, USD',
      left: ({ config }) => [
        usd(own(config, METRICS.providerCost), 'taken by providers'),
        usd(own(config, METRICS.margin), 'margin'),
        usd(own(config, METRICS.soldBelowCost), 'lost on calls sold below cost'),
      ],
      right: ({ config }) => [
        own(config, METRICS.soldBelowCost, { statistic: 'SampleCount', label: 'calls sold below cost' }),
      ],
    },
    {
      title: 'Prices and costs below the reference prices',
      left: ({ config }) => [
        own(config, METRICS.pricesPassed, { statistic: 'Maximum', label: 'prices passed' }),
        own(config, METRICS.costsOutdated, { statistic: 'Maximum', label: 'costs out of date' }),
      ],
      right: ({ config }) => [
        own(config, METRICS.referencePricesOld, { statistic: 'Maximum', label: 'the reference is old' }),
      ],
    },
    {
      title: 'Usage beyond the bound of its call, not billed, USD',
      left: ({ config }) => [usd(own(config, METRICS.unbilled), 'not billed')],
    },
    {
      title: 'Top-ups and balances of all accounts, USD, as of the audit',
      left: ({ config }) => [
        usd(own(config, METRICS.topUps), 'top-ups'),
        usd(own(config, METRICS.balances), 'balances'),
      ],
    },
    {
      title: 'Open holds and the age of the oldest',
      left: ({ config }) => [own(config, METRICS.holdsOpen, { statistic: 'Maximum', label: 'open' })],
      right: ({ config }) => [
        own(config, METRICS.overdueHold, { statistic: 'Maximum', label: 'overdue, seconds' }),
      ],
    },
  ],
};

export const UPKEEP: DashboardSection = {
  title: 'Reconciliation and upkeep',
  graphs: [
    {
      title: 'Drift of the books, nano-USD',
      left: ({ config }) => [own(config, METRICS.auditDrift, { statistic: 'Maximum', label: 'drift' })],
      right: ({ config }) => [
        own(config, METRICS.accountsAudited, { label: 'accounts proven' }),
        own(config, METRICS.accountsUnproven, { label: 'accounts unproven' }),
      ],
    },
    {
      title: 'Holds of crashed calls',
      left: ({ config }) => [
        own(config, METRICS.holdsSettled, { label: 'settled' }),
        own(config, METRICS.holdsReleased, { label: 'released' }),
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
