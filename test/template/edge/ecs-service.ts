/**
 * Amazon ECS's rules of a rolling update, as documented, over the service and the alarms of a template. Time passes in
 * minutes. A task is placed in one, and in the next it is healthy or has failed.
 *
 * Sources, in the Amazon ECS developer guide unless another one is named:
 * - Desired count: the CloudFormation template reference of `AWS::ECS::Service`, `DesiredCount`. An update without it
 *   leaves the number of an existing service unchanged.
 * - Number of tasks: API reference, `DeploymentConfiguration`. At least the minimum healthy percent of the desired count,
 *   rounded up, is healthy; at most the maximum percent, rounded down, runs.
 * - Circuit breaker: "How the Amazon ECS deployment circuit breaker detects failures". A deployment fails once as many tasks
 *   have failed as half of the desired count, at least 3 and at most 200.
 * - Alarms: "How CloudWatch alarms detect Amazon ECS deployment failures". A deployment fails when one is raised before
 *   its end, which is after the steady state and a bake time, here the periods that the alarm evaluates.
 * - Rollback: "Amazon ECS deployment failure detection". Without it, a failed deployment places no more tasks.
 */
import type { Template } from '../synthesized-app.ts';

interface DeploymentConfiguration {
  readonly MinimumHealthyPercent: number;
  readonly MaximumPercent: number;
  readonly DeploymentCircuitBreaker?: { readonly Enable: boolean; readonly Rollback: boolean };
  readonly Alarms?: { readonly Enable: boolean; readonly Rollback: boolean; readonly AlarmNames: object[] };
}

export interface EcsService {
  readonly DesiredCount?: number;
  readonly DeploymentConfiguration: DeploymentConfiguration;
}

interface EcsAlarm {
  readonly Metrics: readonly {
    readonly Expression?: string;
    readonly MetricStat?: { Metric: { MetricName: string } };
  }[];
  readonly Threshold: number;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm: number;
  readonly TreatMissingData: string;
}

/** The tasks of a version: whether they become healthy, and whether their calls succeed. */
export interface Version {
  readonly isReady: boolean;
  readonly isServing: boolean;
}

export interface ReleaseOutcome {
  readonly state: 'completed' | 'rolled back' | 'failed' | 'in progress';
  /** The tasks at the end, and the fewest healthy ones of all minutes. */
  readonly tasks: { readonly old: number; readonly new: number; readonly fewest: number };
}

/** The requests of all callers in a minute. */
const REQUESTS = 600;

/** Longer than any of these releases takes. */
const MINUTES = 60;

/** The alarms that a service names. */
export const releaseAlarms = ({ Resources: resources }: Template, service: EcsService): readonly EcsAlarm[] =>
  (service.DeploymentConfiguration.Alarms?.AlarmNames ?? []).map(
    (name) => resources[(name as { Ref: string }).Ref]?.Properties as unknown as EcsAlarm,
  );

/** Releases a new version of a service that runs `running` tasks, which serve. */
export function release(
  { DesiredCount: desired, DeploymentConfiguration: rules }: EcsService,
  alarms: readonly EcsAlarm[],
  running: number,
  version: Version,
): ReleaseOutcome {
  const count = desired ?? running;
  const least = Math.ceil((count * rules.MinimumHealthyPercent) / 100);
  const most = Math.floor((count * rules.MaximumPercent) / 100);
  const { DeploymentCircuitBreaker: breaker, Alarms: judged } = rules;
  const tolerated = Math.min(200, Math.max(3, Math.ceil(count / 2)));
  const bakeMinutes = Math.max(0, ...alarms.map(({ EvaluationPeriods: periods }) => periods));
  const failures: number[] = [];
  const tasks = { old: running, placed: 0, healthy: 0, failed: 0 };
  let fewest = running;
  let steadyMinutes = 0;
  const outcome = (state: ReleaseOutcome['state']): ReleaseOutcome =>
    state === 'rolled back'
      ? { state, tasks: { old: count, new: 0, fewest } }
      : { state, tasks: { old: tasks.old, new: tasks.healthy, fewest } };
  for (let minute = 0; minute < MINUTES; minute += 1) {
    if (version.isReady) tasks.healthy += tasks.placed;
    else tasks.failed += tasks.placed;
    tasks.placed = 0;
    // Old tasks stop only as long as the rest is as many as must be healthy.
    tasks.old = Math.max(0, Math.min(tasks.old, Math.max(count, least) - tasks.healthy));
    fewest = Math.min(fewest, tasks.old + tasks.healthy);
    const failedShare = version.isServing ? 0 : tasks.healthy / (tasks.old + tasks.healthy);
    failures.push(REQUESTS * failedShare);
    if (breaker?.Enable && tasks.failed >= tolerated)
      return outcome(breaker.Rollback ? 'rolled back' : 'failed');
    if (judged?.Enable && alarms.some((alarm) => isRaised(alarm, failures)))
      return outcome(judged.Rollback ? 'rolled back' : 'failed');
    if (tasks.healthy === count && tasks.old === 0) steadyMinutes += 1;
    if (steadyMinutes > bakeMinutes) return outcome('completed');
    tasks.placed = Math.max(0, Math.min(count - tasks.healthy, most - tasks.old - tasks.healthy));
  }
  return outcome('in progress');
}

/** Evaluates an alarm on the failures of tasks by minute. A minute without one has no value of their metric. */
function isRaised(alarm: EcsAlarm, failures: readonly number[]): boolean {
  const { Metrics: metrics, EvaluationPeriods: periods, DatapointsToAlarm: breaching } = alarm;
  const watched = metrics.map(({ MetricStat: stat }) => stat?.Metric.MetricName);
  const expression = metrics.find((metric) => metric.Expression !== undefined)?.Expression ?? '';
  // No vendor fails here, and no service is closed.
  const [, minimum] =
    /^IF\(failed >= (\d+), 100 \* failed \/ \(failed \+ FILL\(all, 0\)\), 0\)$/.exec(
      expression.replaceAll('(failed - FILL(others, 0))', 'failed'),
    ) ?? [];
  if (minimum === undefined) throw new Error(`no rule for ${expression}`);
  // The tasks answer all requests themselves, so the balancer counts none of its own.
  if (!watched.includes('HTTPCode_Target_5XX_Count')) return false;
  const isBreaching = (failed: number) => {
    if (failed === 0) return alarm.TreatMissingData === 'breaching';
    return failed >= Number(minimum) && (100 * failed) / (failed + REQUESTS) >= alarm.Threshold;
  };
  return failures.slice(-periods).filter(isBreaching).length >= breaching;
}
