/**
 * The registry of alarms: a row for each type, with its severity, its threshold and the reason for it. The article of
 * the same name in `runbook.md` contains the remedy; a test verifies that each has the other.
 */
import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { ROUTES, UNKNOWN_ROUTE_ENDPOINT } from '../../lambdas/app/routes.ts';
import { METRICS } from '../../lambdas/platform/contract/metrics.ts';
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
  schedule,
  serviceMetric,
  table,
  workflow,
} from './metrics.ts';
import { MONEY_ALARMS } from './money-alarms.ts';
import { SMOKE_ALARMS } from './smoke-alarms.ts';
import type { WatchedSystem } from './system.ts';
import { type AlarmRow, each, once } from './watch.ts';

/** The concurrency of an account that has not requested more (Lambda quotas, concurrent executions). */
const DEFAULT_CONCURRENCY = 1_000;

/** Fewer requests than this in five minutes make no rate worth waking for. */
const MIN_REQUESTS = 20;

/** Once may be a passing fault: a function whose process died, a table that splits a partition. */
const LASTING = { breaching: 2, of: 3 } as const;

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
  'inference-audit-books': 'workflow-failed',
  'inference-sweep-holds': 'sweep-missing',
  'platform-fan-out-events': 'dead-letters',
  'platform-deliver-webhooks': 'dead-letters',
  'platform-follow-listings': 'listing-changes-late',
};

/** Schedules whose missing runs have a separate alarm: `sweep-missing` and `audit-missing`. */
const MISSED_SCHEDULES: readonly string[] = ['sweep-holds', 'audit-books'];

/** Workflows that no other alarm misses when they run into their time limit, as the audit is missed by `audit-missing`. */
const TIMED: readonly string[] = ['transcription-settlement'];

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
    meaning: 'Lambda refused to run a function because the account runs too many at once.',
    // What may run at once is the account's, so all of its functions are counted together.
    watches: () => [{ metric: allFunctions('Throttles', 'Sum'), threshold: 1, periods: LASTING }],
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
    meaning: 'The account runs four fifths of the functions that it may at once, 1,000 by default.',
    watches: ({ config }) => [
      {
        metric: allFunctions('ConcurrentExecutions', 'Maximum'),
        threshold: Math.floor(0.8 * (config.lambdaConcurrency ?? DEFAULT_CONCURRENCY)),
      },
    ],
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
  'api-errors-lasting': {
    severity: 'warning',
    meaning: 'For hours, more than one in a hundred requests to the platform API have failed with a 5xx.',
    watches: ({ apis }) =>
      each(apis.filter((each) => !isInference(each)))((subject) => ({
        // Its mean is the share of requests that failed.
        metric: api(subject, '5XXError', { statistic: 'Average', period: Duration.hours(1) }),
        threshold: 0.01,
        periods: { breaching: 2, of: 3 },
      })),
  },
  'circuit-opened': {
    severity: 'warning',
    meaning: 'A route failed so often that calls leave it alone for a while.',
    watches: ({ config }) => once(serviceMetric(config, METRICS.circuitOpened)),
  },
  'slow-first-token': {
    severity: 'warning',
    meaning: 'One in twenty streams waited more than ten seconds for its first token.',
    watches: ({ config }) => [
      {
        metric: serviceMetric(config, METRICS.timeToFirstToken, { statistic: 'p95' }),
        threshold: 10_000,
        periods: { breaching: 3, of: 3 },
      },
    ],
  },
  ...MONEY_ALARMS,
  'workflow-failed': {
    severity: 'critical',
    // One that a person aborts is no surprise.
    meaning: 'A workflow failed.',
    watches: ({ workflows }) => [
      ...each(workflows)((subject) => ({ metric: workflow(subject, 'ExecutionsFailed'), threshold: 1 })),
      ...workflows
        .filter(({ label }) => TIMED.includes(label))
        .map((subject) => ({
          subject: { ...subject, label: `${subject.label}-timed-out` },
          metric: workflow(subject, 'ExecutionsTimedOut'),
          threshold: 1,
        })),
    ],
  },
  'schedule-failed': {
    severity: 'critical',
    meaning: 'A schedule could not start what it is for.',
    watches: ({ schedules }) =>
      each(schedules.filter(({ label }) => !MISSED_SCHEDULES.includes(label)))((subject) => ({
        metric: schedule(subject, 'FailedInvocations'),
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
    meaning: 'A first attempt at a webhook has waited for more than two minutes.',
    watches: ({ config }) => [{ metric: queueAge(config, 'deliveries'), threshold: 120 }],
  },
  'webhook-events-rejected': {
    severity: 'warning',
    meaning: 'Something was put on the bus that is no event of the platform.',
    watches: ({ config }) => once(serviceMetric(config, METRICS.eventsRejected)),
  },
  'listing-changes-late': {
    severity: 'warning',
    meaning: 'The changes of listings are followed more than five minutes late.',
    // The building of the search index counts on changes being written down sooner than this.
    watches: (system) =>
      followerAges(system).map((metric) => ({ metric, threshold: Duration.minutes(5).toMilliseconds() })),
  },
  'certificate-expires': {
    ...EDGE_ALARMS['certificate-expires'],
    // Both names of the APIs are in it. That of CloudFront's hostname is in another region.
    watches: ({ config }) => certificateWatch(config.domains?.certificateArn, 'domains'),
  },
  ...HOST_ALARMS,
  ...SMOKE_ALARMS,
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
};
