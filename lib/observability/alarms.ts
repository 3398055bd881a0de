/**
 * The registry of alarms: a row for each type, with its severity, its threshold and the reason for it. The article of
 * the same name in `runbook.md` contains the remedy; a test verifies that each has the other.
 */
import { Duration } from 'aws-cdk-lib';
import { MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { ROUTES, UNKNOWN_ROUTE_ENDPOINT } from '../../lambdas/app/routes.ts';
import { METRICS } from '../../lambdas/platform/contract/metrics.ts';
import { BACKUP_ALARMS } from './backup-alarms.ts';
import { apiBurnWatch } from './burn-rates.ts';
import { certificateWatch } from './certificates.ts';
import { EDGE_ALARMS } from './edge-alarms.ts';
import { HOST_ALARMS } from './host-alarms.ts';
import {
  allFunctions,
  api,
  followerAges,
  lambda,
  PERIOD,
  queueAge,
  queueLength,
  serviceMetric,
  table,
  tableErrors,
  workflow,
} from './metrics.ts';
import { MONEY_ALARMS } from './money-alarms.ts';
import { SMOKE, SMOKE_ALARMS } from './smoke-alarms.ts';
import type { WatchedSystem } from './system.ts';
import { type AlarmRow, each, once } from './watch.ts';

/** The concurrency of an account that has not requested more (Lambda quotas, concurrent executions). */
const DEFAULT_CONCURRENCY = 1_000;

/** Fewer requests than this in five minutes make no rate worth waking for. */
const MIN_REQUESTS = 20;

/** Once may be a passing fault: a function whose process died, a table that splits a partition. */
const LASTING = { breaching: 2, of: 3 } as const;

/** The longest that a retry is meant to wait (Amazon SQS developer guide, delay queues: 15 minutes at most). */
const LONGEST_DELAY_SECONDS = 900;

/** The function that follows a table is expected to be so close behind. */
const FOLLOWED_WITHIN_MS = Duration.minutes(5).toMilliseconds();

/** Tables that every paid call writes. */
const PAID_TABLES: readonly string[] = ['wallets', 'keys'];

/** Functions that read all of something each time. */
const GROWING: readonly string[] = [
  'inference-audit-books',
  'inference-sweep-holds',
  'platform-build-search-index',
];

const ENDPOINTS: readonly string[] = [UNKNOWN_ROUTE_ENDPOINT, ...ROUTES.map(({ endpoint }) => endpoint)];

const isInference = ({ label }: WatchedSystem): boolean => label === 'inference';

/** Returns whether no route leads to a function: schedules, queues and workflows run it. */
const isUnattended = ({ label }: WatchedSystem): boolean =>
  !ENDPOINTS.some((endpoint) => label === `inference-${endpoint}` || label === `platform-${endpoint}`);

/** Alarms that are raised when these functions fail, by what is then left undone. */
const MISSED_BY: Readonly<Record<string, string>> = {
  'inference-settle-transcription': 'workflow-failed',
  'inference-audit-books': 'audit-missing',
  // Once a day, so that it cannot fail in two of three periods.
  'inference-watch-prices': 'reference-prices-old',
  'inference-sweep-holds': 'sweep-missing',
  [SMOKE]: 'smoke-failed',
  'platform-fan-out-events': 'dead-letters',
  'platform-deliver-webhooks': 'dead-letters',
  'platform-follow-listings': 'listing-changes-late',
  'platform-export-calls': 'telemetry-late',
  'platform-process-due-items': 'due-items-late',
  'platform-reconcile-payments': 'reconciliation-missing',
};

/** Workflows that other alarms watch: `audit-drift` and `audit-missing`. */
const MISSED_WORKFLOWS: readonly string[] = ['audit-books'];

/** The functions of nearly all paid calls. */
const isBusiest = ({ label }: WatchedSystem): boolean =>
  ['chat-completion', 'message', 'response'].some((name) => label === `inference-create-${name}`);

/** The sum of metrics, for one alarm. */
const sumOf = (metrics: readonly Metric[]): MathExpression => {
  const ids = metrics.map((_, index) => `m${index}`);
  return new MathExpression({
    expression: `SUM([${ids.map((id) => `FILL(${id}, 0)`).join(', ')}])`,
    usingMetrics: Object.fromEntries(ids.map((id, index) => [id, metrics[index] as Metric])),
    label: 'together',
    period: PERIOD,
  });
};

export const ALARMS: Readonly<Record<string, AlarmRow>> = {
  'function-errors': {
    severity: 'critical',
    meaning: 'A function that no route leads to crashed or timed out, again and again.',
    // One behind a route shows in the 5xx of its API or in the availability, at a fraction of what an alarm for each would cost.
    watches: ({ functions }) =>
      each(functions.filter((each) => isUnattended(each) && !(each.label in MISSED_BY)))((subject) => ({
        metric: lambda(subject, 'Errors'),
        threshold: 1,
        periods: LASTING,
      })),
  },
  'function-throttles': {
    severity: 'critical',
    meaning: 'Lambda refuses to run the functions of chat, Messages or Responses: too many run at once.',
    // Together with other functions of the account they have one limit, and most calls: what is refused shows here first.
    watches: ({ functions }) => ({
      metric: sumOf(functions.filter(isBusiest).map((subject) => lambda(subject, 'Throttles'))),
      threshold: 1,
      periods: LASTING,
    }),
  },
  'function-duration': {
    severity: 'warning',
    meaning: 'A function ran for more than nine tenths of its time limit.',
    // One that is cut off shows in its errors; these come nearer to their limit as the data grows, long before.
    watches: ({ functions }) =>
      each(functions.filter(({ label }) => GROWING.includes(label)))((subject) => ({
        metric: lambda(subject, 'Duration', { statistic: 'Maximum' }),
        threshold: subject.timeoutSeconds * 900,
        // One long response is no incident; three periods of them are.
        periods: { breaching: 3, of: 3 },
      })),
  },
  concurrency: {
    severity: 'warning',
    meaning:
      'The account runs four fifths of the functions that it may at once, 1,000 by default, or Lambda refuses some.',
    // The limit is the account's, as is the count: other applications that use it up are a warning, not an incident.
    watches: ({ config }) => ({
      metric: new MathExpression({
        expression: `IF(FILL(refused, 0) > 0, 100, 100 * running / ${config.lambdaConcurrency ?? DEFAULT_CONCURRENCY})`,
        usingMetrics: {
          refused: allFunctions('Throttles', 'Sum'),
          running: allFunctions('ConcurrentExecutions', 'Maximum'),
        },
        label: 'running, % of the limit',
        period: PERIOD,
      }),
      threshold: 80,
      periods: LASTING,
    }),
  },
  'api-5xx': {
    severity: 'critical',
    meaning: 'More than one in twenty requests to the inference API failed with a 5xx.',
    // What the service itself cannot count: functions that die, and errors of the gateway's own.
    watches: ({ apis }) =>
      each(apis.filter(isInference))((subject) => ({
        metric: new MathExpression({
          expression: `IF(requests >= ${MIN_REQUESTS}, 100 * errors / requests, 0)`,
          usingMetrics: { requests: api(subject, 'Count'), errors: api(subject, '5XXError') },
          label: `${subject.label}, % of requests`,
          period: PERIOD,
        }),
        threshold: 5,
        periods: { breaching: 2, of: 3 },
      })),
  },
  'platform-availability': {
    severity: 'critical',
    meaning:
      'Requests to the platform API fail so often that within two days the month’s allowance would be used up.',
    watches: ({ apis, config }) =>
      each(apis.filter((each) => !isInference(each)))((subject) => apiBurnWatch(subject, config)),
  },
  'circuit-opened': {
    severity: 'warning',
    meaning: 'For a quarter of an hour, a route has failed so often that calls leave it alone.',
    // One cooldown of 15 s is what circuits are for. Callers who have no other route are seen by the availability.
    watches: ({ config }) => ({
      metric: serviceMetric(config, METRICS.circuitOpened),
      threshold: 1,
      periods: { breaching: 3, of: 3 },
    }),
  },
  'slow-first-token': {
    severity: 'warning',
    meaning: 'One in twenty streams waited more than ten seconds for its first token.',
    watches: ({ config }) => ({
      metric: serviceMetric(config, METRICS.timeToFirstToken, { statistic: 'p95' }),
      threshold: 10_000,
      periods: { breaching: 3, of: 3 },
    }),
  },
  ...MONEY_ALARMS,
  'workflow-failed': {
    severity: 'critical',
    // One that a person aborts is no surprise. One that runs into its time limit, and the audit, have other alarms.
    meaning: 'A workflow failed.',
    watches: ({ workflows }) =>
      each(workflows.filter(({ label }) => !MISSED_WORKFLOWS.includes(label)))((subject) => ({
        metric: workflow(subject, 'ExecutionsFailed'),
        threshold: 1,
      })),
  },
  'dead-letters': {
    severity: 'critical',
    meaning: 'Messages were given up and wait in a dead-letter queue.',
    watches: ({ deadLetterQueues }) =>
      each(deadLetterQueues)((subject) => ({ metric: queueLength(subject), threshold: 1 })),
  },
  'webhook-deliveries-late': {
    severity: 'warning',
    meaning: 'An event, or an attempt at a webhook, has waited for more than two minutes beyond its time.',
    watches: ({ config }) => ({
      metric: new MathExpression({
        expression: `MAX([FILL(events, 0), FILL(deliveries, 0), FILL(retries, 0) - ${LONGEST_DELAY_SECONDS}])`,
        usingMetrics: {
          events: queueAge(config, 'events'),
          deliveries: queueAge(config, 'deliveries'),
          retries: queueAge(config, 'retries'),
        },
        label: 'late, seconds',
        period: PERIOD,
      }),
      threshold: 120,
    }),
  },
  'webhook-events-rejected': {
    severity: 'warning',
    meaning: 'Something was put on the bus that is no event of the platform.',
    watches: ({ config }) => once(serviceMetric(config, METRICS.eventsRejected)),
  },
  'listing-changes-late': {
    severity: 'warning',
    meaning: 'The changes of listings are followed more than five minutes late.',
    watches: (system) =>
      followerAges('follow-listings', system).map((metric) => ({ metric, threshold: FOLLOWED_WITHIN_MS })),
  },
  'telemetry-late': {
    severity: 'warning',
    meaning: 'Settled calls are followed more than five minutes late: their telemetry waits.',
    watches: (system) =>
      followerAges('export-calls', system).map((metric) => ({ metric, threshold: FOLLOWED_WITHIN_MS })),
  },
  'certificate-expires': {
    ...EDGE_ALARMS['certificate-expires'],
    // Both names of the APIs are in it. That of CloudFront's hostname is in another region.
    watches: ({ config }) => certificateWatch(config.domains?.certificateArn, 'domains'),
  },
  ...HOST_ALARMS,
  ...SMOKE_ALARMS,
  ...BACKUP_ALARMS,
  'table-throttles': {
    // The SDK retries throttled requests while a table splits a partition; calls that fail because of it are visible in
    // the availability.
    severity: 'warning',
    meaning: 'DynamoDB refused writes of a table because of its load.',
    // The tables that every paid call writes; a throttle of another is visible in the errors of its calls.
    watches: ({ tables }) =>
      each(tables.filter(({ label }) => PAID_TABLES.includes(label)))((subject) => ({
        metric: table(subject, 'WriteThrottleEvents'),
        threshold: 1,
        periods: LASTING,
      })),
  },
  'table-errors': {
    severity: 'warning',
    meaning: 'DynamoDB itself fails requests with a 5xx.',
    // A request that the SDK's retries do not save is a call that fails, and is visible in the availability.
    watches: () => ({ metric: tableErrors(), threshold: 1, periods: LASTING }),
  },
};
