/** A program that listens, on Fargate: tasks behind an internal load balancer that CloudFront accesses. */
import { Duration, Size, Stack, Validations } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { type IVpc, Peer, Port, SubnetType } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  AlarmBehavior,
  AssetImage,
  AvailabilityZoneRebalancing,
  AwsLogDriverMode,
  Cluster,
  ContainerInsights,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  type ICluster,
  LogDrivers,
  OperatingSystemFamily,
  PropagatedTagSource,
  type ScalableTaskCount,
} from 'aws-cdk-lib/aws-ecs';
import {
  ApplicationLoadBalancer,
  ApplicationProtocol,
  type ApplicationTargetGroup,
  TargetGroupLoadBalancingAlgorithmType,
} from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { HOST_HEALTH_CHECKS, HOST_HEALTH_PATH } from '../../../lambdas/platform/contract/inference-host.ts';
import type { Hosting } from '../hosting.ts';
import { confine, tasksOf } from '../security/trust.ts';
import { HostNetwork, NETWORK } from './host-network.ts';

const PORT = 8080;

/** The most that Fargate gives a task to end its calls (Amazon ECS developer guide, "Task definition parameters"). */
export const STOP_TIMEOUT = Duration.seconds(120);

/**
 * The log lines that wait while CloudWatch Logs takes none: three minutes at 100 calls a second of 1,400 bytes. A
 * blocking driver would stop the process at its next line, with all its streams and its health check. Lines beyond the
 * buffer are lost, and the metrics in them (AWS containers blog, "Preventing log loss with non-blocking mode").
 */
const LOG_BUFFER = Size.mebibytes(25);

/** Longer than CloudFront waits for a silent origin, so that it is never the balancer that cuts. */
const IDLE_TIMEOUT = Duration.seconds(125);

export interface HostServiceProps {
  /** The name of the cluster and of the service. */
  readonly name: string;
  /** The folder of the program's bundle, with its Dockerfile. */
  readonly program: string;
  readonly hosting: Pick<Hosting, 'environment' | 'logGroup'>;
  readonly role: IRole;
  /** The prefix of its log streams. */
  readonly logPrefix: string;
  readonly size: { readonly cpu: number; readonly memoryMiB: number };
  readonly tasks: { readonly least: number; readonly most: number };
  /** The zones of its network; the first two of the region if undefined. */
  readonly zones: readonly string[] | undefined;
  /** The time for which calls of a task continue after the balancer stops sending new ones to it. */
  readonly draining: Duration;
  readonly scale: (count: ScalableTaskCount) => void;
}

export class HostService extends Construct {
  readonly name: string;
  readonly balancer: ApplicationLoadBalancer;
  readonly targets: ApplicationTargetGroup;
  /** The zones of its tasks. */
  readonly zones: readonly string[];
  readonly #service: FargateService;

  constructor(scope: Construct, id: string, props: HostServiceProps) {
    super(scope, id);
    const { name, tasks } = props;
    this.name = name;
    // The CDK's own types do not fit each other under `exactOptionalPropertyTypes`.
    const vpc = new HostNetwork(this, 'Network', { zones: props.zones }) as IVpc;
    this.zones = vpc.availabilityZones;
    const cluster = new Cluster(this, 'Cluster', {
      clusterName: name,
      vpc,
      containerInsightsV2: ContainerInsights.ENABLED,
    });
    const service = new FargateService(this, 'Service', {
      serviceName: name,
      cluster: cluster as ICluster,
      taskDefinition: this.#task(props),
      // No desired count: with each release it would set a service that has scaled out back to that number.
      minHealthyPercent: 100,
      circuitBreaker: { rollback: true },
      // It moves tasks out of a zone that has too many, as after a zone that had no capacity.
      availabilityZoneRebalancing: AvailabilityZoneRebalancing.ENABLED,
      // The budget reads the tags of tasks. Without a value they have none (Amazon ECS API reference, CreateService).
      propagateTags: PropagatedTagSource.SERVICE,
      // A public address is the path to the routes: a NAT gateway costs more than all else here.
      assignPublicIp: true,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
    });
    props.scale(service.autoScaleTaskCount({ minCapacity: tasks.least, maxCapacity: tasks.most }));
    this.#service = service;
    const { balancer, targets } = this.#balance(vpc, service, props);
    this.balancer = balancer;
    this.targets = targets;
  }

  /** Has ECS roll a release back when one of the alarms is raised: health alone does not tell whether calls succeed. */
  judgeReleasesBy(alarms: readonly IAlarm[]): void {
    const names = alarms.map(({ alarmName }) => alarmName);
    this.#service.enableDeploymentAlarms(names, { behavior: AlarmBehavior.ROLLBACK_ON_ALARM });
  }

  #task({ program, hosting, role, logPrefix, size }: HostServiceProps): FargateTaskDefinition {
    const { environment, logGroup } = hosting;
    const task = new FargateTaskDefinition(this, 'Task', {
      cpu: size.cpu,
      memoryLimitMiB: size.memoryMiB,
      runtimePlatform: {
        cpuArchitecture: CpuArchitecture.ARM64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
      taskRole: role,
    });
    task.addContainer('Host', {
      image: new AssetImage(program, { platform: Platform.LINUX_ARM64, exclude: ['*.map', 'index.mjs'] }),
      environment: { ...environment, PORT: String(PORT), AWS_REGION: Stack.of(this).region },
      logging: LogDrivers.awsLogs({
        logGroup,
        streamPrefix: logPrefix,
        mode: AwsLogDriverMode.NON_BLOCKING,
        maxBufferSize: LOG_BUFFER,
      }),
      portMappings: [{ containerPort: PORT }],
      stopTimeout: STOP_TIMEOUT,
    });
    // The owner binds the role of the program. This binds the role that fetches the image and writes the log.
    confine(task.obtainExecutionRole(), tasksOf(this));
    const accept = (id: string, reason: string) =>
      Validations.of(task).acknowledge({ id: `AwsSolutions-${id}`, reason });
    accept('ECS2', 'The variables are names of tables, secrets and a workflow, and no secret itself.');
    accept('IAM5[Resource::*]', 'ECR takes no resource for the token that an image is fetched with.');
    return task;
  }

  /** Plain HTTP from CloudFront's own interfaces in the VPC, and from nowhere else. */
  #balance(vpc: IVpc, service: FargateService, props: HostServiceProps) {
    const balancer = new ApplicationLoadBalancer(this, 'Balancer', {
      vpc,
      internetFacing: false,
      vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
      idleTimeout: IDLE_TIMEOUT,
      dropInvalidHeaderFields: true,
    });
    const listener = balancer.addListener('Http', {
      port: 80,
      protocol: ApplicationProtocol.HTTP,
      open: false,
    });
    balancer.connections.allowFrom(Peer.ipv4(NETWORK), Port.tcp(80));
    const targets = listener.addTargets('Tasks', {
      port: PORT,
      protocol: ApplicationProtocol.HTTP,
      targets: [service],
      deregistrationDelay: props.draining,
      healthCheck: {
        path: HOST_HEALTH_PATH,
        interval: Duration.seconds(HOST_HEALTH_CHECKS.intervalSeconds),
        timeout: Duration.seconds(HOST_HEALTH_CHECKS.timeoutSeconds),
        healthyThresholdCount: 2,
        unhealthyThresholdCount: HOST_HEALTH_CHECKS.unhealthyCount,
      },
      // A task that fails calls at once has the fewest open ones: by their number it would get nearly all. From three
      // tasks on, the balancer sends fewer calls to one that fails more than the others (guide of Application Load
      // Balancers, "Automatic Target Weights"; `docs/decisions/2026-11-28-draining-hosts.md`).
      loadBalancingAlgorithmType: TargetGroupLoadBalancingAlgorithmType.WEIGHTED_RANDOM,
      enableAnomalyMitigation: true,
    });
    Validations.of(balancer).acknowledge({
      id: 'AwsSolutions-ELB2',
      reason: 'The program logs every call under its request id.',
    });
    return { balancer, targets };
  }
}
