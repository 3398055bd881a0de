/** The sections of the money dashboard: spend and revenue, and the accuracy of the ledger. */
import { METRICS } from '../../lambdas/platform/contract/metrics.ts';
import { schedule, serviceMetric, usd, workflow } from './metrics.ts';
import { type DashboardSection, graph, lines } from './section.ts';

const MAXIMUM = { statistic: 'Maximum' } as const;

export const MONEY: DashboardSection = {
  title: 'Money',
  graphs: [
    graph('Spend, USD', ({ config }) => [usd(serviceMetric(config, METRICS.cost), 'spend')]),
    graph(
      'Calls whose route has a cost in the catalog: cost and margin, USD',
      ({ config }) => [
        usd(serviceMetric(config, METRICS.providerCost), 'taken by providers'),
        usd(serviceMetric(config, METRICS.margin), 'margin'),
        usd(serviceMetric(config, METRICS.soldBelowCost), 'lost on calls sold below cost'),
      ],
      lines({ 'calls sold below cost': METRICS.soldBelowCost }, { statistic: 'SampleCount' }),
    ),
    graph(
      'Prices and costs below the reference prices',
      lines({ 'prices passed': METRICS.pricesPassed, 'costs out of date': METRICS.costsOutdated }, MAXIMUM),
      lines({ 'the reference is old': METRICS.referencePricesOld }, MAXIMUM),
    ),
    graph('Usage beyond the bound of its call, not billed, USD', ({ config }) => [
      usd(serviceMetric(config, METRICS.unbilled), 'not billed'),
    ]),
    graph('Top-ups and balances of all accounts, USD, as of the audit', ({ config }) => [
      usd(serviceMetric(config, METRICS.topUps), 'top-ups'),
      usd(serviceMetric(config, METRICS.balances), 'balances'),
    ]),
    graph(
      'Payments: orders credited, events without a valid signature, and what no event has brought',
      lines({
        'orders credited': METRICS.paymentsCredited,
        'events rejected': METRICS.paymentEventsRejected,
      }),
      (system) => [
        ...lines({
          'events missed': METRICS.paymentEventsMissed,
          'events failed': METRICS.paymentEventsFailed,
          differences: METRICS.paymentDifferences,
        })(system),
        ...(system.config.market
          ? lines({ 'payout late, seconds': METRICS.latestPayout }, MAXIMUM)(system)
          : []),
      ],
    ),
    graph(
      'Open holds and the age of the oldest',
      lines({ open: METRICS.holdsOpen }, MAXIMUM),
      lines({ 'overdue, seconds': METRICS.overdueHold }, MAXIMUM),
    ),
  ],
};

export const MAINTENANCE: DashboardSection = {
  title: 'Reconciliation and maintenance',
  graphs: [
    graph(
      'Drift of the ledger, nano-USD',
      lines({ drift: METRICS.auditDrift }, MAXIMUM),
      lines({ 'accounts proven': METRICS.accountsAudited, 'accounts unproven': METRICS.accountsUnproven }),
    ),
    graph(
      'Holds of crashed calls',
      lines({ settled: METRICS.holdsSettled, released: METRICS.holdsReleased }),
    ),
    graph(
      'Workflows that succeeded and failed',
      ({ workflows }) => workflows.map((each) => workflow(each, 'ExecutionsSucceeded')),
      ({ workflows }) => workflows.map((each) => workflow(each, 'ExecutionsFailed')),
    ),
    graph('Schedules', ({ schedules }) => schedules.map((each) => schedule(each, 'Invocations'))),
  ],
};
