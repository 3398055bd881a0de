/** The upload host on Fargate: the `node:http` program as tasks behind an internal load balancer that CloudFront reaches. */
import { join } from 'node:path';
import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { IpAddresses, type IVpc, Peer, Port, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  AssetImage,
  Cluster,
  ContainerInsights,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  type ICluster,
  LogDrivers,
  OperatingSystemFamily,
} from 'aws-cdk-lib/aws-ecs';
import { ApplicationLoadBalancer, ApplicationProtocol } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Config } from '../config/config.ts';
import { uploadServiceName } from '../config/names.ts';
import type { Hosting } from './hosting.ts';

/** One task that fails or is replaced leaves another; each takes about 25 uploads at once. */
const TASKS = { least: 2, most: 10 } as const;

/** Parsing and TLS to the routes are all of the work: a task is busy long before its memory is full. */
const TARGET_CPU_PERCENT = 60;

const PORT = 8080;

/** It is connected to no other network. */
const NETWORK = '10.0.0.0/16';

/** The most that Fargate gives a task to end its uploads (Amazon ECS developer guide, "Task definition parameters"). */
const STOP_TIMEOUT = Duration.seconds(120);

/** Longer than CloudFront waits for a silent origin, so that it is never the balancer that cuts. */
const IDLE_TIMEOUT = Duration.seconds(120);

export interface UploadServiceProps {
  readonly config: Config;
  readonly bundles: string;
  /** The transcription function's own, so that both hosts act in one role. */
  readonly hosting: Hosting;
}

export class UploadService extends Construct {
  readonly balancer: ApplicationLoadBalancer;

  constructor(scope: Construct, id: string, props: UploadServiceProps) {
    super(scope, id);
    const name = uploadServiceName(props.config.stage);
    const vpc = this.#network();
    const cluster = new Cluster(this, 'Cluster', {
      clusterName: name,
      vpc,
      containerInsightsV2: ContainerInsights.ENABLED,
    });
    const service = new FargateService(this, 'Service', {
      serviceName: name,
      cluster: cluster as ICluster,
      taskDefinition: this.#task(props),
      desiredCount: TASKS.least,
      minHealthyPercent: 100,
      circuitBreaker: { rollback: true },
      // An address of their own is the way out to the routes: a NAT gateway costs more than all else here.
      assignPublicIp: true,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
    });
    service
      .autoScaleTaskCount({ minCapacity: TASKS.least, maxCapacity: TASKS.most })
      .scaleOnCpuUtilization('Cpu', { targetUtilizationPercent: TARGET_CPU_PERCENT });
    this.balancer = this.#balance(vpc, service);
  }

  /** CloudFront reaches a balancer in private subnets of a VPC that has an internet gateway, which nothing comes in by. */
  #network(): IVpc {
    const vpc = new Vpc(this, 'Network', {
      ipAddresses: IpAddresses.cidr(NETWORK),
      maxAzs: 2,
      natGateways: 0,
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [
        { name: 'tasks', subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: false },
        { name: 'balancer', subnetType: SubnetType.PRIVATE_ISOLATED },
      ],
    });
    Validations.of(vpc).acknowledge({
      id: 'AwsSolutions-VPC7',
      reason: 'Who called is in the program’s own log; a flow log would add addresses and cost.',
    });
    // The CDK's own types do not fit each other under `exactOptionalPropertyTypes`.
    return vpc as IVpc;
  }

  #task({ bundles, hosting }: UploadServiceProps): FargateTaskDefinition {
    const { role, environment, logGroup } = hosting;
    role.assumeRolePolicy?.addStatements(
      new PolicyStatement({
        actions: ['sts:AssumeRole'],
        principals: [new ServicePrincipal('ecs-tasks.amazonaws.com')],
      }),
    );
    const task = new FargateTaskDefinition(this, 'Task', {
      cpu: 512,
      memoryLimitMiB: 1024,
      runtimePlatform: {
        cpuArchitecture: CpuArchitecture.ARM64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
      taskRole: Role.fromRoleArn(this, 'Role', role.roleArn, { mutable: false }),
    });
    task.addContainer('Host', {
      image: new AssetImage(join(bundles, 'create-transcription'), {
        platform: Platform.LINUX_ARM64,
        exclude: ['*.map', 'index.mjs'],
      }),
      environment: { ...environment, PORT: String(PORT), AWS_REGION: Stack.of(this).region },
      logging: LogDrivers.awsLogs({ logGroup, streamPrefix: 'uploads' }),
      portMappings: [{ containerPort: PORT }],
      stopTimeout: STOP_TIMEOUT,
    });
    const accept = (id: string, reason: string) =>
      Validations.of(task).acknowledge({ id: `AwsSolutions-${id}`, reason });
    accept('ECS2', 'The variables are names of tables, secrets and a workflow, and no secret itself.');
    accept('IAM5[Resource::*]', 'ECR takes no resource for the token that an image is fetched with.');
    return task;
  }

  /** Plain HTTP from CloudFront's own interfaces in the VPC, and from nowhere else. */
  #balance(vpc: IVpc, service: FargateService): ApplicationLoadBalancer {
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
    listener.addTargets('Tasks', {
      port: PORT,
      protocol: ApplicationProtocol.HTTP,
      targets: [service],
      deregistrationDelay: STOP_TIMEOUT,
      // The program knows one path; that it refuses another one says that it lives.
      healthCheck: { path: '/', healthyHttpCodes: '404' },
    });
    Validations.of(balancer).acknowledge({
      id: 'AwsSolutions-ELB2',
      reason: 'The program logs every call under its request id.',
    });
    return balancer;
  }
}
