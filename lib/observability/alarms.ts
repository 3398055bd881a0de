/**
 * The registry of alarms: a row for each kind, with its severity, its threshold and the reason for it. The article of
 * the same name in `runbook.md` says what to do; a test sees that neither is without the other.
 */
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { DIMENSIONS, METRICS } from '../../lambdas/contract/metrics.ts';
import { ROUTES, UNKNOWN_ROUTE_ENDPOINT } from '../../lambdas/contract/routes.ts';
import { HOST_ALARMS } from './host-alarms.ts';
import {
  allFunctions,
  api,
  followerAges,
  lambda,
  own,
  PERIOD,
  queueAge,
  queueLength,
  schedule,
  tableThrottles,
  workflow,
} from './metrics.ts';
import { MONEY_ALARMS } from './money-alarms.ts';
import { SMOKE_ALARMS } from './smoke-alarms.ts';
import type { System, Watched } from './system.ts';
import { type AlarmRow, each, once } from './watch.ts';

/** Of an account that has asked for no more (Lambda quotas, concurrent executions). */
const DEFAULT_CONCURRENCY = 1_000;

/** Fewer requests than this in five minutes make no rate worth waking for. */
const MIN_REQUESTS = 20;

/** Once may be a passing fault: a function whose process died, a table that splits a partition. */
const LASTING = { breaching: 2, of: 3 } as const;

/** Tables that every paid call writes. */
const PAID_TABLES: readonly string[] = ['wallets', 'keys'];

/** Functions that read all of something each time. */
const GROWING: readonly string[] = [
  ...['inference-audit-books', 'inference-sweep-holds'],
  'platform-build-search-index',
];

const ENDPOINTS: readonly string[] = [UNKNOWN_ROUTE_ENDPOINT, ...ROUTES.map(({ endpoint }) => endpoint)];

/** Whether no route leads to a function: schedules, queues and workflows run it. */
const isUnattended = ({ label }: Watched): boolean =>
  !ENDPOINTS.some((endpoint) => label === `inference-${endpoint}` || label === `platform-${endpoint}`);

const errorsOf = (system: System, type: string): IMetric =>
  own(system.config, METRICS.errors, { dimensions: { [DIMENSIONS.errorType]: type } });

export const ALARMS: Readonly<Record<string, AlarmRow>> = {
  'function-errors': {
    severity: 'critical',
    meaning: 'A function that no route leads to crashed or timed out, again and again.',
    // One behind a route shows in the 5xx of its API, at a fraction of what an alarm for each would cost.
    watches: ({ functions }) =>
      each(functions.filter(isUnattended))((subject) => ({
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
        metric: lambda(subject, 'Duration', 'Maximum'),
        threshold: subject.timeoutSeconds * 900,
        // One long answer is no incident; three periods of them are.
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
    meaning: 'More than one in twenty requests to an API failed with a 5xx.',
    watches: ({ apis }) =>
      each(apis)((subject) => ({
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
  'api-error-budget': {
    severity: 'warning',
    meaning: 'For hours, more requests to an API have failed than an availability of 99.9 % allows.',
    watches: ({ apis }) =>
      each(apis)((subject) => ({
        // Its mean is the share of requests that failed.
        metric: api(subject, '5XXError', 'Average').with({ period: Duration.hours(1) }),
        // Six times the share that is allowed: the month's would be used up in five days.
        threshold: 0.006,
        periods: { breaching: 3, of: 6 },
      })),
  },
  'internal-errors': {
    severity: 'critical',
    meaning: 'Requests failed with internal_error: something the code does not expect.',
    // A single one may be a passing fault.
    watches: (system) => [{ metric: errorsOf(system, 'api_error'), threshold: 5 }],
  },
  'routes-exhausted': {
    severity: 'critical',
    meaning: 'Calls failed because every route of their model did, or the database was overloaded.',
    watches: (system) => [
      {
        metric: errorsOf(system, 'service_unavailable'),
        threshold: 10,
        periods: { breaching: 2, of: 3 },
      },
    ],
  },
  'circuit-opened': {
    severity: 'warning',
    meaning: 'A route failed so often that calls leave it alone for a while.',
    watches: ({ config }) => once(own(config, METRICS.circuitOpened)),
  },
  'slow-first-token': {
    severity: 'warning',
    meaning: 'One in twenty streams waited more than ten seconds for its first token.',
    watches: ({ config }) => [
      {
        metric: own(config, METRICS.timeToFirstToken, { statistic: 'p95' }),
        threshold: 10_000,
        periods: { breaching: 3, of: 3 },
      },
    ],
  },
  ...MONEY_ALARMS,
  'workflow-failed': {
    severity: 'critical',
    // One that a person aborts is no surprise to anybody.
    meaning: 'A workflow failed or timed out.',
    watches: ({ workflows }) =>
      each(workflows)((subject) => ({
        metric: new MathExpression({
          expression: 'FILL(failed, 0) + FILL(timedOut, 0)',
          usingMetrics: {
            failed: workflow(subject, 'ExecutionsFailed'),
            timedOut: workflow(subject, 'ExecutionsTimedOut'),
          },
          label: subject.label,
          period: PERIOD,
        }),
        threshold: 1,
      })),
  },
  'schedule-failed': {
    severity: 'critical',
    meaning: 'A schedule could not start what it is for.',
    watches: ({ schedules }) =>
      each(schedules)((subject) => ({ metric: schedule(subject, 'FailedInvocations'), threshold: 1 })),
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
    watches: ({ config }) => once(own(config, METRICS.eventsRejected)),
  },
  'listing-changes-late': {
    severity: 'warning',
    meaning: 'The changes of listings are followed more than five minutes late.',
    // The building of the search index counts on changes being written down sooner than this.
    watches: (system) =>
      followerAges(system).map((metric) => ({ metric, threshold: Duration.minutes(5).toMilliseconds() })),
  },
  ...HOST_ALARMS,
  ...SMOKE_ALARMS,
  'table-throttles': {
    // The SDK repeats what is refused while a table splits a partition; calls that fail by it show in `internal-errors`.
    severity: 'warning',
    meaning: 'DynamoDB refused reads or writes of a table because of its load.',
    // Those that every paid call writes; a refusal of another shows in the errors of its calls.
    watches: ({ tables }) =>
      each(tables.filter(({ label }) => PAID_TABLES.includes(label)))((subject) => ({
        metric: tableThrottles(subject),
        threshold: 1,
        periods: LASTING,
      })),
  },
};
