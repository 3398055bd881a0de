import { describe, expect, it } from '@jest/globals';
import {
  HOST_GRACE_SECONDS,
  HOST_HEALTH_CHECKS,
  HOST_HEALTH_PATH,
} from '../../../lambdas/platform/contract/inference-host.ts';
import { METRICS } from '../../../lambdas/platform/contract/metrics.ts';
import { NodeHost } from '../../../lambdas/platform/http/node-host.ts';
import { SynthesizedApp } from '../../../test/template/synthesized-app.ts';
import { parseConfig } from '../../config/config.ts';
import { serviceMetric } from '../../observability/metrics.ts';

const app = new SynthesizedApp('fargate');
const only = (type: string, of = app) => of.only('ingress', type).Properties;

/** The attributes of the balancer and of its target group, by name. */
const attributes = (type: string, field: string, of = app): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (only(type, of)[field] as { Key: string; Value: string }[]).map(({ Key, Value }) => [Key, Value]),
  );

describe('the shared host on Fargate', () => {
  it('replaces no task before its successor is healthy', () => {
    expect(only('AWS::ECS::Service')).toMatchObject({
      DeploymentConfiguration: { MinimumHealthyPercent: 100 },
    });
  });

  it.each([
    ['fargate', 'prod-inference'],
    ['fargate-ingress', 'prod-uploads'],
  ] as const)('gives tasks time to end their calls, and rolls a bad deployment back: %s', (name, service) => {
    const host = new SynthesizedApp(name);
    expect(only('AWS::ECS::Service', host)).toMatchObject({
      ServiceName: service,
      AvailabilityZoneRebalancing: 'ENABLED',
      DeploymentConfiguration: {
        DeploymentCircuitBreaker: { Enable: true, Rollback: true },
        Alarms: { Enable: true, Rollback: true },
      },
    });
    const { Alarms: judges } = Object(only('AWS::ECS::Service', host).DeploymentConfiguration);
    expect(
      judges.AlarmNames.map(
        ({ Ref: id }: { Ref: string }) => host.templates.ingress.Resources[id]?.Properties.AlarmName,
      ),
    ).toEqual(['host', 'balancer'].map((part) => `prod/${part}-5xx/${service.replace('prod-', '')}`));
    expect(only('AWS::ECS::TaskDefinition', host)).toMatchObject({
      RuntimePlatform: { CpuArchitecture: 'ARM64' },
      ContainerDefinitions: [{ StopTimeout: 120, PortMappings: [{ ContainerPort: 8080 }] }],
    });
    const { HealthCheckPath: path, Matcher: matcher } = only(
      'AWS::ElasticLoadBalancingV2::TargetGroup',
      host,
    );
    expect([path, matcher]).toEqual([HOST_HEALTH_PATH, undefined]);
  });

  it('runs in the configured zones, because not every zone has VPC origins', () => {
    const zones = new SynthesizedApp('fargate-sized')
      .properties('ingress', 'AWS::EC2::Subnet')
      .map(({ AvailabilityZone: zone }) => zone);
    expect(new Set(zones)).toEqual(new Set(['us-east-1b', 'us-east-1d']));
  });

  it.each([
    ['fargate-sized', 'fargate-moved'],
    ['fargate', 'fargate-sized'],
  ] as const)(
    'creates no subnet over the block of one that exists, if its zones change: %s, %s',
    (from, to) => {
      const subnetsOf = (name: typeof from | typeof to) =>
        new Map(
          new SynthesizedApp(name)
            .resources('ingress', 'AWS::EC2::Subnet')
            .map(([id, { Properties: properties }]) => [id, properties]),
        );
      const [before, after] = [subnetsOf(from), subnetsOf(to)];
      const rangeOf = (block: unknown): readonly [first: number, last: number] => {
        const [, third, bits] = /^10\.0\.(\d+)\.0\/(\d+)$/.exec(String(block)) ?? [];
        return [Number(third), Number(third) + 2 ** (24 - Number(bits)) - 1];
      };
      const overlaps = [...after].filter(([id, { CidrBlock: block }]) =>
        [...before].some(([earlier, { CidrBlock: other, AvailabilityZone: zone }]) => {
          const [[first, last], [otherFirst, otherLast]] = [rangeOf(block), rangeOf(other)];
          const isUnchanged =
            id === earlier && block === other && String(zone) === String(after.get(id)?.AvailabilityZone);
          return first <= otherLast && otherFirst <= last && !isUnchanged;
        }),
      );
      expect([before.size, after.size, overlaps.map(([id]) => id)]).toEqual([4, 4, []]);
      expect(new Set([...after.values()].map(({ CidrBlock: block }) => block)).size).toBe(4);
      // A zone that stays keeps its subnets.
      const kept = [...after.keys()].filter((id) => before.has(id));
      expect(kept).toHaveLength(from === 'fargate' ? 0 : 2);
    },
  );

  it('runs with one core and 2 GB', () => {
    expect(only('AWS::ECS::TaskDefinition')).toMatchObject({ Cpu: '1024', Memory: '2048' });
  });

  it('lets the longest call end before its task is stopped, and what is left settle after', () => {
    const { 'deregistration_delay.timeout_seconds': draining } = attributes(
      'AWS::ElasticLoadBalancingV2::TargetGroup',
      'TargetGroupAttributes',
    );
    expect(Number(draining)).toBeGreaterThan(900);
    expect(Number(draining)).toBeLessThanOrEqual(3600);
  });

  it.each(['fargate', 'fargate-ingress'] as const)(
    'serves for longer than the balancer sends calls to it, and ends before it is killed: %s',
    (name) => {
      const host = new SynthesizedApp(name);
      const { intervalSeconds, timeoutSeconds, unhealthyCount } = HOST_HEALTH_CHECKS;
      expect(only('AWS::ElasticLoadBalancingV2::TargetGroup', host)).toMatchObject({
        HealthCheckIntervalSeconds: intervalSeconds,
        HealthCheckTimeoutSeconds: timeoutSeconds,
        UnhealthyThresholdCount: unhealthyCount,
      });
      expect(intervalSeconds * unhealthyCount + timeoutSeconds).toBeLessThan(HOST_GRACE_SECONDS / 2);
      const { ContainerDefinitions: containers } = only('AWS::ECS::TaskDefinition', host);
      const [{ StopTimeout: stopTimeout }] = containers as [{ readonly StopTimeout: number }];
      // 15 s to settle, and 3 s to return leases.
      expect(HOST_GRACE_SECONDS + 15 + 3).toBeLessThan(stopTimeout);
    },
  );

  it('retains an idle connection for longer than the balancer does, which waits for longer than CloudFront', () => {
    const { 'idle_timeout.timeout_seconds': idle } = attributes(
      'AWS::ElasticLoadBalancingV2::LoadBalancer',
      'LoadBalancerAttributes',
    );
    expect(Number(idle)).toBeGreaterThan(120);
    // Otherwise the balancer sends a request as its connection closes.
    const resolve = () => {
      throw new Error('nothing is asked of it');
    };
    const { server } = new NodeHost({ resolve, clock: Date.now, callMs: 1, maxCalls: 1 });
    expect(server.keepAliveTimeout).toBeGreaterThan(Number(idle) * 1000);
  });

  it.each(['fargate', 'fargate-ingress'] as const)(
    'gets no more than its share of calls, less if they fail, and loses no line while its log takes none for a while: %s',
    (name) => {
      const host = new SynthesizedApp(name);
      const group = attributes('AWS::ElasticLoadBalancingV2::TargetGroup', 'TargetGroupAttributes', host);
      expect(group).toMatchObject({
        'load_balancing.algorithm.type': 'weighted_random',
        'load_balancing.algorithm.anomaly_mitigation': 'on',
        // It does not work with this algorithm, nor does a slow start.
        'stickiness.enabled': 'false',
      });
      expect(group).not.toHaveProperty(['slow_start.duration_seconds']);
      expect(only('AWS::ECS::TaskDefinition', host)).toMatchObject({
        ContainerDefinitions: [
          {
            LogConfiguration: {
              LogDriver: 'awslogs',
              Options: { mode: 'non-blocking', 'max-buffer-size': '26214400b' },
            },
          },
        ],
      });
    },
  );

  it('accepts connections from within its network only', () => {
    expect(only('AWS::ElasticLoadBalancingV2::LoadBalancer')).toMatchObject({ Scheme: 'internal' });
    const rules = app
      .properties('ingress', 'AWS::EC2::SecurityGroup')
      .flatMap(({ SecurityGroupIngress: ingress }) => ingress ?? []);
    expect(rules).toMatchObject([{ CidrIp: '10.0.0.0/16', FromPort: 80, ToPort: 80 }]);
  });
});

describe('the number of tasks', () => {
  it.each(['fargate', 'fargate-sized', 'fargate-ingress', 'customer-key'] as const)(
    'follows the scaling alone, and no release sets it back: %s',
    (name) => {
      const service = only('AWS::ECS::Service', new SynthesizedApp(name));
      expect(service).toMatchObject({ LaunchType: 'FARGATE' });
      expect(service).not.toHaveProperty('DesiredCount');
    },
  );

  it('follows the open calls of a task, which are the metric that the program raises, and the CPU of short ones', () => {
    const type = 'AWS::ApplicationAutoScaling::ScalingPolicy';
    const [byCalls, byCpu, ...otherPolicies] = app.properties('ingress', type);
    expect(otherPolicies).toEqual([]);
    expect(byCpu).toMatchObject({
      TargetTrackingScalingPolicyConfiguration: {
        TargetValue: 70,
        PredefinedMetricSpecification: { PredefinedMetricType: 'ECSServiceAverageCPUUtilization' },
      },
    });
    expect(byCalls).toMatchObject({
      PolicyType: 'TargetTrackingScaling',
      TargetTrackingScalingPolicyConfiguration: {
        TargetValue: 300,
        CustomizedMetricSpecification: {
          MetricName: METRICS.openCalls,
          Namespace: 'UnifiedInference/prod',
          Statistic: 'Average',
          Dimensions: [{ Name: 'application', Value: 'unified-inference-service' }],
        },
      },
    });
    expect(serviceMetric(parseConfig({}), METRICS.openCalls).dimensions).toEqual({
      application: 'unified-inference-service',
    });
  });

  it.each([
    ['fargate', 2, 10],
    ['fargate-sized', 3, 40],
  ] as const)('stays between the floor and the ceiling of the settings: %s', (name, minTasks, maxTasks) => {
    const sized = new SynthesizedApp(name);
    expect(only('AWS::ApplicationAutoScaling::ScalableTarget', sized)).toMatchObject({
      MinCapacity: minTasks,
      MaxCapacity: maxTasks,
    });
  });
});
