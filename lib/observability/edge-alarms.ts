/**
 * The alarms of what stands before a host: its load balancer, CloudFront, and Lambda's own count of a Web Function. They
 * see failures that a host cannot count, and are created by the stack that knows the names in their metrics.
 *
 * None is raised without traffic: each metric is absent then, which is no failure.
 */
import { Duration } from 'aws-cdk-lib';
import { type Alarm, type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS } from '../../lambdas/platform/contract/metrics.ts';
import { type Config, hostTasksOf } from '../config/config.ts';
import { certificateWatch } from './certificates.ts';
import { PERIOD, serviceMetric } from './metrics.ts';
import { type AlarmContext, createAlarm, notify, type Topics } from './notifications.ts';
import type { AlarmRow, Watch } from './watch.ts';

/** The region of CloudFront's metrics (CloudFront developer guide, "Types of metrics for CloudFront"), ACL and certificate. */
export const EDGE_REGION = 'us-east-1';

/** Percent of the requests that may fail. */
const MAX_FAILED_PERCENT = 5;

/** Fewer failures in a period make no rate. */
const MIN_FAILURES = 5;

/** Fewer requests in five minutes make no rate of CloudFront's, which counts no failures. */
const MIN_REQUESTS = 20;

/** A minute: a release is taken back within three of them, and one bad minute alone is not enough. */
const RELEASE_PERIOD = Duration.minutes(1);
const TWICE = { breaching: 2, of: 3 } as const;

/** The parts of a deployment that are before a host. */
export interface WatchedEdge {
  /** Distinguishes the alarms of two hosts, of which one replaces the other in a deployment. */
  readonly label?: 'inference' | 'uploads';
  /** The full names of a load balancer and of its target group, and the zones of its tasks. */
  readonly balancer?: {
    readonly name: string;
    readonly targetGroup: string;
    readonly zones: readonly string[];
  };
  readonly webFunction?: string;
  readonly distribution?: string;
  /** The certificate of CloudFront's hostname. */
  readonly certificateArn?: string | undefined;
}

interface EdgeAlarmRow extends Pick<AlarmRow, 'severity' | 'meaning'> {
  readonly watches: (edge: WatchedEdge, config: Config) => Watch | readonly Watch[];
}

const sumOf = (namespace: string, metricName: string, dimensionsMap: Record<string, string>): Metric =>
  new Metric({ namespace, metricName, dimensionsMap, statistic: 'Sum', period: RELEASE_PERIOD });

/**
 * Percent of the requests that failed; 0 with few failures. A request for which the balancer found no target is a failure,
 * but not among its requests (Application Load Balancers guide, `RequestCount`), so both are added up. Failures of
 * others, such as a vendor's outage, do not count: no release mends them, and `availability-fast` reports them.
 */
function shareOf(failed: Metric, all: Metric, ofOthers?: Metric): IMetric {
  const failures = ofOthers === undefined ? 'failed' : '(failed - FILL(others, 0))';
  return new MathExpression({
    expression: `IF(${failures} >= ${MIN_FAILURES}, 100 * ${failures} / (failed + FILL(all, 0)), 0)`,
    usingMetrics: { failed, all, ...(ofOthers === undefined ? {} : { others: ofOthers }) },
    label: 'failed, % of requests',
    period: failed.period,
  });
}

const subjectOf = (label: WatchedEdge['label']) =>
  label === undefined ? {} : { subject: { name: label, label } };

/** A share above the maximum, in two of three periods. */
const failing = ({ label }: WatchedEdge, failed: Metric, all: Metric, ofOthers?: Metric): Watch => ({
  ...subjectOf(label),
  metric: shareOf(failed, all, ofOthers),
  threshold: MAX_FAILED_PERCENT,
  periods: TWICE,
});

const ofBalancer =
  (metricName: 'HTTPCode_ELB_5XX_Count' | 'HTTPCode_Target_5XX_Count') =>
  (edge: WatchedEdge, config: Config): readonly Watch[] => {
    const { balancer } = edge;
    if (balancer === undefined) return [];
    const ofOthers =
      metricName === 'HTTPCode_Target_5XX_Count'
        ? serviceMetric(config, METRICS.failuresOfOthers, { period: RELEASE_PERIOD })
        : undefined;
    const dimensions = { LoadBalancer: balancer.name };
    const metric = (name: string) => sumOf('AWS/ApplicationELB', name, dimensions);
    return [failing(edge, metric(metricName), metric('RequestCount'), ofOthers)];
  };

export const EDGE_ALARMS = {
  'host-5xx': {
    severity: 'critical',
    meaning: 'More than one in twenty responses of the tasks are a 5xx of our own.',
    watches: ofBalancer('HTTPCode_Target_5XX_Count'),
  },
  'balancer-5xx': {
    severity: 'critical',
    meaning:
      'The load balancer itself answers with a 5xx: it has no healthy task, or a task closes connections.',
    watches: ofBalancer('HTTPCode_ELB_5XX_Count'),
  },
  'host-unhealthy': {
    severity: 'warning',
    meaning: 'For a quarter of an hour, a task has failed the health check of the load balancer.',
    watches: ({ label, balancer }) =>
      balancer === undefined
        ? []
        : {
            ...subjectOf(label),
            metric: new Metric({
              namespace: 'AWS/ApplicationELB',
              metricName: 'UnHealthyHostCount',
              dimensionsMap: { LoadBalancer: balancer.name, TargetGroup: balancer.targetGroup },
              statistic: 'Maximum',
              period: PERIOD,
            }),
            threshold: 1,
            periods: { breaching: 3, of: 3 },
          },
  },
  'host-one-zone': {
    severity: 'warning',
    meaning:
      'For a quarter of an hour, all healthy tasks have been in one zone: its failure would stop the host.',
    // Elastic Load Balancing user guide, "CloudWatch metrics for your Application Load Balancer".
    watches: ({ label, balancer }, config) => {
      if (balancer === undefined || label !== 'inference' || hostTasksOf(config).least < 2) return [];
      const { name, targetGroup, zones } = balancer;
      const healthyIn = (AvailabilityZone: string) =>
        new Metric({
          namespace: 'AWS/ApplicationELB',
          metricName: 'HealthyHostCount',
          dimensionsMap: { LoadBalancer: name, TargetGroup: targetGroup, AvailabilityZone },
          statistic: 'Maximum',
          period: PERIOD,
        });
      const usingMetrics = Object.fromEntries(zones.map((zone, index) => [`zone${index}`, healthyIn(zone)]));
      const isUsed = Object.keys(usingMetrics).map((zone) => `IF(FILL(${zone}, 0) > 0, 1, 0)`);
      const metric = new MathExpression({
        expression: `IF(${isUsed.join(' + ')} == 1, 1, 0)`,
        usingMetrics,
        label: 'all in one zone',
        period: PERIOD,
      });
      return [
        {
          ...subjectOf('inference'),
          metric,
          threshold: 1,
          periods: { breaching: 3, of: 3 },
        },
      ];
    },
  },
  'web-function-5xx': {
    severity: 'critical',
    meaning: 'More than one in twenty responses to uploads are a 5xx of our own.',
    // Lambda developer guide, "Using CloudWatch metrics with Lambda Web Functions". The calls are our own count.
    watches: (edge, config) =>
      edge.webFunction === undefined
        ? []
        : [
            failing(
              edge,
              sumOf('AWS/Lambda/Web', 'HTTPResponseStatusClass5XX', { FunctionName: edge.webFunction }),
              serviceMetric(config, METRICS.callsSettled, { period: RELEASE_PERIOD }),
              serviceMetric(config, METRICS.failuresOfOthers, { period: RELEASE_PERIOD }),
            ),
          ],
  },
  'edge-5xx': {
    severity: 'critical',
    meaning: 'More than one in twenty responses of CloudFront are a 5xx.',
    watches: ({ distribution }) => {
      if (distribution === undefined) return [];
      const metric = (metricName: string, statistic: 'Average' | 'Sum') =>
        new Metric({
          namespace: 'AWS/CloudFront',
          metricName,
          dimensionsMap: { DistributionId: distribution, Region: 'Global' },
          statistic,
          period: PERIOD,
        });
      return [
        {
          metric: new MathExpression({
            expression: `IF(requests >= ${MIN_REQUESTS}, failed, 0)`,
            usingMetrics: { requests: metric('Requests', 'Sum'), failed: metric('5xxErrorRate', 'Average') },
            label: 'failed, % of requests',
            period: PERIOD,
          }),
          threshold: MAX_FAILED_PERCENT,
          periods: TWICE,
        },
      ];
    },
  },
  'certificate-expires': {
    severity: 'warning',
    meaning: 'A certificate expires within 30 days, because it is not renewed.',
    watches: ({ certificateArn }) => certificateWatch(certificateArn, 'edge'),
  },
} as const satisfies Readonly<Record<string, EdgeAlarmRow>>;

/** Creates the alarms of the given parts, and returns them by article. */
export function watchEdge(
  { topics, ...context }: AlarmContext & { readonly topics: Topics },
  edge: WatchedEdge,
): ReadonlyMap<string, Alarm> {
  const alarms = new Map<string, Alarm>();
  for (const [article, row] of Object.entries(EDGE_ALARMS) as [string, EdgeAlarmRow][])
    for (const watch of [row.watches(edge, context.config)].flat()) {
      const alarm = createAlarm(context, [article, watch.subject?.label], row, watch);
      notify(alarm, topics[row.severity]);
      alarms.set(article, alarm);
    }
  return alarms;
}
