/** CloudWatch metrics of the parts of the service, by what they say. */
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { SERVICE_NAME } from '../../lambdas/platform/contract/limits.ts';
import { METRIC_NAMESPACE, type METRICS } from '../../lambdas/platform/contract/metrics.ts';
import { type QueueName, queueNameOf } from '../../lambdas/platform/contract/queues.ts';
import type { Config } from '../config/config.ts';
import type { System, WatchedSystem } from './system.ts';

/** Five minutes: what a person reads a graph by, and an alarm's delay that is still in time. */
export const PERIOD = Duration.minutes(5);

export type MetricName = (typeof METRICS)[keyof typeof METRICS];

const namespaceOf = ({ stage }: Config): string => `${METRIC_NAMESPACE}/${stage}`;

export interface ServiceMetricOptions {
  readonly statistic?: string;
  readonly label?: string;
  readonly period?: Duration;
  readonly dimensions?: Readonly<Record<string, string>>;
}

/** A metric that the service's own functions raise. */
export const serviceMetric = (
  config: Config,
  metricName: MetricName,
  { dimensions = {}, statistic = 'Sum', period = PERIOD, ...rest }: ServiceMetricOptions = {},
): Metric =>
  new Metric({
    namespace: namespaceOf(config),
    metricName,
    statistic,
    period,
    dimensionsMap: { application: SERVICE_NAME, ...dimensions },
    ...rest,
  });

/** One of the service's metrics, a line for each value of a dimension. */
export const serviceMetricBy = (
  config: Config,
  metricName: MetricName,
  dimension: string,
  statistic = 'Sum',
): IMetric =>
  new MathExpression({
    // In quotes, because a stage may have a hyphen (CloudWatch user guide, search expression syntax).
    expression: `SEARCH('{"${namespaceOf(config)}",application,${dimension}} MetricName="${metricName}"', '${statistic}', ${PERIOD.toSeconds()})`,
    label: '',
    usingMetrics: {},
    period: PERIOD,
  });

/** Returns the id of a metric; an id within a graph starts with a small letter. */
const idOf = ({ metricName }: Metric): string => `${metricName[0]?.toLowerCase()}${metricName.slice(1)}`;

/**
 * The ten of the account and region with the most, a line each (CloudWatch Metrics Insights): one expression, where a line
 * for every function or table would make the dashboard one that is paid for.
 */
const topTen = (
  namespace: string,
  dimension: string,
  metricName: string,
  statistic: 'SUM' | 'MAX',
): IMetric =>
  new MathExpression({
    expression: `SELECT ${statistic}(${metricName}) FROM SCHEMA("${namespace}", ${dimension}) GROUP BY ${dimension} ORDER BY ${statistic}() DESC LIMIT 10`,
    label: '',
    usingMetrics: {},
    period: PERIOD,
  });

export const topFunctions = (metricName: string, statistic: 'SUM' | 'MAX' = 'SUM'): IMetric =>
  topTen('AWS/Lambda', 'FunctionName', metricName, statistic);

export const topTables = (metricName: string): IMetric =>
  topTen('AWS/DynamoDB', 'TableName', metricName, 'SUM');

/**
 * Requests that DynamoDB failed itself, for all tables of the account and region and all operations, which have a metric
 * each (DynamoDB developer guide, `SystemErrors`). None of them exists before its first error.
 */
export const tableErrors = (): IMetric =>
  new MathExpression({
    expression: 'SELECT SUM(SystemErrors) FROM SCHEMA("AWS/DynamoDB", Operation, TableName)',
    label: 'system errors',
    usingMetrics: {},
    period: PERIOD,
  });

/** Nano-USD as USD. */
export const usd = (metric: Metric, label: string): IMetric =>
  new MathExpression({
    expression: `${idOf(metric)} / 1000000000`,
    usingMetrics: { [idOf(metric)]: metric },
    label,
    period: metric.period,
  });

interface WatchedOptions {
  readonly statistic?: string;
  /** Follows the label of what is watched. */
  readonly suffix?: string;
  readonly period?: Duration;
}

/** Returns the metrics of one AWS resource, which contain its name in a dimension. */
const ofAws =
  (namespace: string, dimension: string) =>
  (
    { name, label }: WatchedSystem,
    metricName: string,
    { statistic = 'Sum', suffix = '', period = PERIOD }: WatchedOptions = {},
  ): Metric =>
    new Metric({
      namespace,
      metricName,
      statistic,
      period,
      dimensionsMap: { [dimension]: name },
      label: `${label}${suffix}`,
    });

export const api = ofAws('AWS/ApiGateway', 'ApiName');
export const lambda = ofAws('AWS/Lambda', 'FunctionName');
export const table = ofAws('AWS/DynamoDB', 'TableName');
export const workflow = ofAws('AWS/States', 'StateMachineArn');
export const schedule = ofAws('AWS/Events', 'RuleName');
const queue = ofAws('AWS/SQS', 'QueueName');

/** Milliseconds from a change of a table to its being followed by that function. */
export const followerAges = (name: string, { functions }: System): readonly Metric[] =>
  functions
    .filter(({ label }) => label === `platform-${name}`)
    .map((follower) => lambda(follower, 'IteratorAge', { statistic: 'Maximum' }));

/** Tasks of a service that run (Amazon ECS Container Insights metrics). */
export const runningTasks = ({ name, label }: WatchedSystem, statistic: 'Minimum' | 'Maximum'): Metric =>
  new Metric({
    namespace: 'ECS/ContainerInsights',
    metricName: 'RunningTaskCount',
    statistic,
    period: PERIOD,
    dimensionsMap: { ClusterName: name, ServiceName: name },
    label,
  });

/** Returns a metric of all functions of the account in the region. */
export const allFunctions = (metricName: string, statistic: string): Metric =>
  new Metric({ namespace: 'AWS/Lambda', metricName, statistic, period: PERIOD });

export const queueLength = (system: WatchedSystem): Metric =>
  queue(system, 'ApproximateNumberOfMessagesVisible', { statistic: 'Maximum' });

/** Seconds that the oldest message has waited. */
export const queueAge = (config: Config, name: QueueName): Metric =>
  queue({ name: queueNameOf(config.stage, name), label: name }, 'ApproximateAgeOfOldestMessage', {
    statistic: 'Maximum',
  });
