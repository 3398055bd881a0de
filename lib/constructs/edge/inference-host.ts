/** The shared host: one program for every route of the inference API, in a role with the grants of all its endpoints. */
import { join } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { type EndpointName, ROUTES, UNKNOWN_ROUTE_ENDPOINT } from '../../../lambdas/app/routes.ts';
import { LEASE_GRANTS } from '../../../lambdas/ledger/grants.ts';
import { STREAM_TIMEOUT_SECONDS } from '../../../lambdas/platform/contract/environment.ts';
import { SERVICE_NAME } from '../../../lambdas/platform/contract/limits.ts';
import { METRIC_NAMESPACE, METRICS } from '../../../lambdas/platform/contract/metrics.ts';
import { type Config, hostTasksOf } from '../../config/config.ts';
import { GRANTS } from '../../config/grants.ts';
import { HOST_TASK } from '../../config/host-size.ts';
import { hostServiceName } from '../../config/names.ts';
import { unionOf } from '../../config/union-of-grants.ts';
import { createHosting } from '../hosting.ts';
import type { StoredData } from '../stored-data.ts';
import { HostService } from './host-service.ts';

/** The folder of its bundle, and its name in logs. */
const PROGRAM = 'inference-host';

/**
 * A call that starts just before a task is drained may continue for as long as its route allows, and a little to
 * settle.
 */
const DRAINING = Duration.seconds(STREAM_TIMEOUT_SECONDS + 60);

/** The endpoints of the host. */
const HOSTED: readonly EndpointName[] = [
  ...new Set<EndpointName>([
    ...ROUTES.filter(({ api }) => api === 'inference').map(({ endpoint }) => endpoint),
    UNKNOWN_ROUTE_ENDPOINT,
  ]),
];

export interface InferenceHostProps {
  readonly config: Config;
  readonly data: StoredData;
  readonly bundles: string;
  /** The workflow that settles transcriptions. */
  readonly settlements: StateMachine;
}

export class InferenceHost extends Construct {
  readonly host: HostService;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: InferenceHostProps) {
    super(scope, id);
    const { config, data, bundles, settlements } = props;
    const hosting = createHosting(this, {
      name: PROGRAM,
      grants: unionOf([...HOSTED.map((endpoint) => GRANTS[endpoint]), LEASE_GRANTS]),
      reads: [],
      service: 'ecs-tasks.amazonaws.com',
      config,
      data,
      settlements,
    });
    this.logGroup = hosting.logGroup;
    this.host = new HostService(this, 'Service', {
      name: hostServiceName(config.stage),
      program: join(bundles, PROGRAM),
      hosting,
      role: hosting.role,
      logPrefix: PROGRAM,
      size: { cpu: HOST_TASK.vcpu * 1024, memoryMiB: HOST_TASK.gb * 1024 },
      tasks: hostTasksOf(config),
      zones: config.availabilityZones,
      draining: DRAINING,
      scale: (count) => {
        count.scaleToTrackCustomMetric('OpenCalls', {
          metric: openCallsATask(config),
          targetValue: HOST_TASK.openCalls,
        });
        count.scaleOnCpuUtilization('Cpu', { targetUtilizationPercent: HOST_TASK.cpuPercent });
      },
    });
  }
}

/**
 * Open calls of a task: every task reports as often as every other, so the mean over their reports is the sum of their
 * open calls by their number. A task that drains reports too, until it ends.
 */
const openCallsATask = ({ stage }: Config): Metric =>
  new Metric({
    namespace: `${METRIC_NAMESPACE}/${stage}`,
    metricName: METRICS.openCalls,
    dimensionsMap: { application: SERVICE_NAME },
    statistic: 'Average',
    period: Duration.minutes(1),
  });
