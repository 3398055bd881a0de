/**
 * The dashboards: a table of graphs, by section. Three dashboards of up to 50 metrics are free of charge, so six
 * sections share them, and functions and tables are shown by the ten with the most.
 */
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { DIMENSIONS, METRICS } from '../../lambdas/platform/contract/metrics.ts';
import { hostLoad } from './host-alarms.ts';
import {
  allFunctions,
  api,
  followerAges,
  type MetricName,
  queueAge,
  queueLength,
  serviceMetric,
  serviceMetricBy,
  topFunctions,
  topTables,
} from './metrics.ts';
import { MAINTENANCE, MONEY } from './money-graphs.ts';
import { type DashboardSection, graph, lines } from './section.ts';
import type { System } from './system.ts';

const PERCENTILES = ['p50', 'p95', 'p99'];

const percentilesOf =
  (metric: MetricName) =>
  ({ config }: System): readonly IMetric[] =>
    PERCENTILES.map((statistic) => serviceMetric(config, metric, { statistic, label: statistic }));

/** Returns lines for each route. */
const byRoute =
  (...metrics: readonly MetricName[]) =>
  ({ config }: System): readonly IMetric[] =>
    metrics.map((metric) => serviceMetricBy(config, metric, DIMENSIONS.route));

const SERVICE: DashboardSection = {
  title: 'Service',
  graphs: [
    graph('Requests', ({ apis }) => apis.map((each) => api(each, 'Count'))),
    graph('Errors by type', ({ config }) => [
      serviceMetricBy(config, METRICS.errors, DIMENSIONS.errorType),
      serviceMetric(config, METRICS.failuresOfOthers),
    ]),
    graph(
      'Client and server errors',
      ({ apis }) => apis.map((each) => api(each, '4XXError', { suffix: ' 4xx' })),
      ({ apis }) => apis.map((each) => api(each, '5XXError', { suffix: ' 5xx' })),
    ),
    graph('Latency, ms', ({ apis }) =>
      apis.flatMap((each) =>
        PERCENTILES.map((statistic) => api(each, 'Latency', { statistic, suffix: ` ${statistic}` })),
      ),
    ),
    graph('Time to first token, ms', percentilesOf(METRICS.timeToFirstToken)),
    graph(
      'Tokens',
      lines({ input: METRICS.inputTokens, output: METRICS.outputTokens }),
      lines({ calls: METRICS.callsSettled }),
    ),
  ],
};

const ROUTES: DashboardSection = {
  title: 'Routes',
  graphs: [
    graph('Calls by route (none: every route failed)', byRoute(METRICS.callsSettled)),
    graph(
      'Failed attempts, and circuits that opened',
      lines({
        'failed attempts': METRICS.routeFailed,
        'requests repeated on a new connection': METRICS.requestsRepeated,
      }),
      lines({ 'circuits opened': METRICS.circuitOpened }),
    ),
    graph(
      'Paid by accounts, taken by providers, and the margin, by route, nano-USD',
      byRoute(METRICS.cost, METRICS.providerCost, METRICS.margin),
    ),
    graph('Output tokens by route', byRoute(METRICS.outputTokens)),
  ],
};

const PLATFORM: DashboardSection = {
  title: 'Platform',
  graphs: [
    graph('Invocations, the ten with the most', () => [topFunctions('Invocations')]),
    graph('Errors', () => [topFunctions('Errors')]),
    graph('Longest duration, ms', () => [topFunctions('Duration', 'MAX')]),
    graph('Dead letters', ({ deadLetterQueues }) => deadLetterQueues.map(queueLength)),
  ],
};

const WEBHOOKS: DashboardSection = {
  title: 'Webhooks',
  graphs: [
    graph(
      'Deliveries',
      lines({
        created: METRICS.deliveriesCreated,
        delivered: METRICS.deliveriesSucceeded,
        'attempts that failed': METRICS.attemptsFailed,
        'given up': METRICS.deliveriesDead,
      }),
    ),
    graph('From the event to its first success, ms', percentilesOf(METRICS.deliveryLatency), ({ config }) => [
      queueAge(config, 'deliveries'),
    ]),
    graph(
      'Refused',
      lines({
        'events rejected': METRICS.eventsRejected,
        'mails rejected': METRICS.mailsRejected,
        'webhooks disabled': METRICS.webhooksDisabled,
        'addresses forbidden': METRICS.addressesForbidden,
      }),
    ),
    graph(
      'Telemetry: batches of calls, and how late calls are followed, ms',
      lines({
        delivered: METRICS.telemetryDelivered,
        'attempts that failed': METRICS.telemetryFailed,
        'given up': METRICS.telemetryDropped,
      }),
      (system) => followerAges('export-calls', system),
    ),
  ],
};

const LISTINGS: DashboardSection = {
  title: 'Listings',
  setting: 'market',
  graphs: [
    graph('How late the changes of listings are followed, ms', (system) =>
      followerAges('follow-listings', system),
    ),
    graph(
      'The search index: listings, and bytes that are stored',
      ({ config }) => [serviceMetric(config, METRICS.listingsIndexed, { statistic: 'Maximum' })],
      ({ config }) => [serviceMetric(config, METRICS.searchIndexBytes, { statistic: 'Maximum' })],
    ),
  ],
};

const CAPACITY: DashboardSection = {
  title: 'Capacity',
  graphs: [
    graph(
      'Functions, tasks and open calls of a host at once, and functions refused',
      ({ config }) => [allFunctions('ConcurrentExecutions', 'Maximum'), ...hostLoad(config)],
      () => [allFunctions('Throttles', 'Sum')],
    ),
    graph('Write units', () => [topTables('ConsumedWriteCapacityUnits')]),
    graph('Read units', () => [topTables('ConsumedReadCapacityUnits')]),
    graph(
      'Table throttles',
      () => [topTables('WriteThrottleEvents')],
      () => [topTables('ReadThrottleEvents')],
    ),
    graph('Conditions that refused a write (most of them are limits doing their work)', () => [
      topTables('ConditionalCheckFailedRequests'),
    ]),
    graph('Transaction conflicts', () => [topTables('TransactionConflict')]),
  ],
};

/** The sections of each dashboard; the stage precedes its name. */
export const DASHBOARDS: Readonly<Record<string, readonly DashboardSection[]>> = {
  service: [SERVICE, ROUTES],
  money: [MONEY, MAINTENANCE],
  platform: [PLATFORM, WEBHOOKS, LISTINGS, CAPACITY],
};
