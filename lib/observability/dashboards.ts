/**
 * The dashboards: a table of graphs, by section. Three dashboards of up to 50 metrics are free of charge, so six
 * sections share them, and functions and tables are shown by the ten with the most.
 */
import { DIMENSIONS, METRICS } from '../../lambdas/platform/contract/metrics.ts';
import { hostLoad } from './host-alarms.ts';
import {
  allFunctions,
  api,
  followerAges,
  queueAge,
  queueLength,
  serviceMetric,
  serviceMetricBy,
  topFunctions,
  topTables,
} from './metrics.ts';
import { MAINTENANCE, MONEY } from './money-graphs.ts';
import type { DashboardSection } from './section.ts';

const PERCENTILES = ['p50', 'p95', 'p99'];

const SERVICE: DashboardSection = {
  title: 'Service',
  graphs: [
    { title: 'Requests', left: ({ apis }) => apis.map((each) => api(each, 'Count')) },
    {
      title: 'Errors by type',
      left: ({ config }) => [
        serviceMetricBy(config, METRICS.errors, DIMENSIONS.errorType),
        serviceMetric(config, METRICS.failuresOfOthers),
      ],
    },
    {
      title: 'Client and server errors',
      left: ({ apis }) => apis.map((each) => api(each, '4XXError', { suffix: ' 4xx' })),
      right: ({ apis }) => apis.map((each) => api(each, '5XXError', { suffix: ' 5xx' })),
    },
    {
      title: 'Latency, ms',
      left: ({ apis }) =>
        apis.flatMap((each) =>
          PERCENTILES.map((statistic) => api(each, 'Latency', { statistic, suffix: ` ${statistic}` })),
        ),
    },
    {
      title: 'Time to first token, ms',
      left: ({ config }) =>
        PERCENTILES.map((statistic) =>
          serviceMetric(config, METRICS.timeToFirstToken, { statistic, label: statistic }),
        ),
    },
    {
      title: 'Tokens',
      left: ({ config }) => [
        serviceMetric(config, METRICS.inputTokens, { label: 'input' }),
        serviceMetric(config, METRICS.outputTokens, { label: 'output' }),
      ],
      right: ({ config }) => [serviceMetric(config, METRICS.callsSettled, { label: 'calls' })],
    },
  ],
};

const ROUTES: DashboardSection = {
  title: 'Routes',
  graphs: [
    {
      title: 'Calls by route (none: every route failed)',
      left: ({ config }) => [serviceMetricBy(config, METRICS.callsSettled, DIMENSIONS.route)],
    },
    {
      title: 'Failed attempts, and circuits that opened',
      left: ({ config }) => [
        serviceMetric(config, METRICS.routeFailed, { label: 'failed attempts' }),
        serviceMetric(config, METRICS.requestsRepeated, { label: 'requests repeated on a new connection' }),
      ],
      right: ({ config }) => [serviceMetric(config, METRICS.circuitOpened, { label: 'circuits opened' })],
    },
    {
      title: 'Paid by accounts, taken by providers, and the margin, by route, nano-USD',
      left: ({ config }) =>
        [METRICS.cost, METRICS.providerCost, METRICS.margin].map((metric) =>
          serviceMetricBy(config, metric, DIMENSIONS.route),
        ),
    },
    {
      title: 'Output tokens by route',
      left: ({ config }) => [serviceMetricBy(config, METRICS.outputTokens, DIMENSIONS.route)],
    },
  ],
};

const PLATFORM: DashboardSection = {
  title: 'Platform',
  graphs: [
    { title: 'Invocations, the ten with the most', left: () => [topFunctions('Invocations')] },
    { title: 'Errors', left: () => [topFunctions('Errors')] },
    {
      title: 'Longest duration, ms',
      left: () => [topFunctions('Duration', 'MAX')],
    },
    { title: 'Dead letters', left: ({ deadLetterQueues }) => deadLetterQueues.map(queueLength) },
  ],
};

const WEBHOOKS: DashboardSection = {
  title: 'Webhooks',
  graphs: [
    {
      title: 'Deliveries',
      left: ({ config }) => [
        serviceMetric(config, METRICS.deliveriesCreated, { label: 'created' }),
        serviceMetric(config, METRICS.deliveriesSucceeded, { label: 'delivered' }),
        serviceMetric(config, METRICS.attemptsFailed, { label: 'attempts that failed' }),
        serviceMetric(config, METRICS.deliveriesDead, { label: 'given up' }),
      ],
    },
    {
      title: 'From the event to its first success, ms',
      left: ({ config }) =>
        PERCENTILES.map((statistic) =>
          serviceMetric(config, METRICS.deliveryLatency, { statistic, label: statistic }),
        ),
      right: ({ config }) => [queueAge(config, 'deliveries')],
    },
    {
      title: 'Refused',
      left: ({ config }) => [
        serviceMetric(config, METRICS.eventsRejected, { label: 'events rejected' }),
        serviceMetric(config, METRICS.webhooksDisabled, { label: 'webhooks disabled' }),
        serviceMetric(config, METRICS.addressesForbidden, { label: 'addresses forbidden' }),
      ],
    },
  ],
};

const LISTINGS: DashboardSection = {
  title: 'Listings',
  setting: 'market',
  graphs: [
    {
      title: 'How late the changes of listings are followed, ms',
      left: followerAges,
    },
    {
      title: 'The search index: listings, and bytes that are stored',
      left: ({ config }) => [serviceMetric(config, METRICS.listingsIndexed, { statistic: 'Maximum' })],
      right: ({ config }) => [serviceMetric(config, METRICS.searchIndexBytes, { statistic: 'Maximum' })],
    },
  ],
};

const CAPACITY: DashboardSection = {
  title: 'Capacity',
  graphs: [
    {
      title: 'Functions, tasks and open calls of a host at once, and functions refused',
      left: ({ config }) => [allFunctions('ConcurrentExecutions', 'Maximum'), ...hostLoad(config)],
      right: () => [allFunctions('Throttles', 'Sum')],
    },
    {
      title: 'Write units',
      left: () => [topTables('ConsumedWriteCapacityUnits')],
    },
    {
      title: 'Read units',
      left: () => [topTables('ConsumedReadCapacityUnits')],
    },
    {
      title: 'Table throttles',
      left: () => [topTables('WriteThrottleEvents')],
      right: () => [topTables('ReadThrottleEvents')],
    },
    {
      title: 'Conditions that refused a write (most of them are limits doing their work)',
      left: () => [topTables('ConditionalCheckFailedRequests')],
    },
    {
      title: 'Transaction conflicts',
      left: () => [topTables('TransactionConflict')],
    },
  ],
};

/** The sections of each dashboard; the stage precedes its name. */
export const DASHBOARDS: Readonly<Record<string, readonly DashboardSection[]>> = {
  service: [SERVICE, ROUTES],
  money: [MONEY, MAINTENANCE],
  platform: [PLATFORM, WEBHOOKS, LISTINGS, CAPACITY],
};
