import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { ConfigurationName } from '../../test/template/configurations.ts';
import { joined, type StackName, SynthesizedApp } from '../../test/template/synthesized-app.ts';
import { EDGE_ALARMS } from './edge-alarms.ts';

const EDGE_STACKS: readonly StackName[] = ['ingress', 'edge-alarms'];

/** The alarms of the stacks of a configuration's edge, by name without the stage. */
const alarmsOf = (name: ConfigurationName) => {
  const app = new SynthesizedApp(name);
  return new Map(
    EDGE_STACKS.flatMap((stack) =>
      app
        .properties(stack, 'AWS::CloudWatch::Alarm')
        .map((alarm) => [String(alarm.AlarmName).replace('prod/', ''), { stack, ...alarm }] as const),
    ),
  );
};

/** The metrics of an alarm with an expression, as `namespace metric statistic`. */
const metricsIn = (alarm: object | undefined) =>
  (Object(alarm).Metrics as { Expression?: string; MetricStat?: { Metric: object; Stat: string } }[])
    .filter(({ MetricStat: stat }) => stat !== undefined)
    .map(({ MetricStat: stat }) => {
      const { Namespace: namespace, MetricName: metric } = Object(stat?.Metric);
      return `${namespace} ${metric} ${stat?.Stat}`;
    });

describe('the alarms of the edge', () => {
  it.each([
    ['standard', []],
    [
      'fargate',
      ['balancer-5xx/inference', 'host-5xx/inference', 'host-one-zone/inference', 'host-unhealthy/inference'],
    ],
    ['fargate-ingress', ['balancer-5xx/uploads', 'host-5xx/uploads', 'host-unhealthy/uploads']],
    ['web-function-ingress', ['web-function-5xx/uploads']],
    [
      'fargate-abroad',
      [
        'balancer-5xx/inference',
        'certificate-expires/edge/eu-central-1',
        'edge-5xx/eu-central-1',
        'host-5xx/inference',
        'host-one-zone/inference',
        'host-unhealthy/inference',
      ],
    ],
    [
      'fargate-with-region',
      [
        'balancer-5xx/inference',
        'edge-5xx/us-east-1',
        'host-5xx/inference',
        'host-one-zone/inference',
        'host-unhealthy/inference',
      ],
    ],
  ] as const)('watch what the settings have: %s', (name, expected) => {
    expect([...alarmsOf(name).keys()].sort()).toEqual(expected);
  });

  it('stay silent for a service without traffic, and notify the topics of their region', () => {
    for (const name of [
      'fargate',
      'fargate-ingress',
      'web-function-ingress',
      'fargate-abroad',
      'fargate-with-region',
    ] as const)
      for (const [alarm, properties] of alarmsOf(name)) {
        expect([alarm, properties]).toMatchObject([alarm, { TreatMissingData: 'notBreaching' }]);
        const { AlarmActions: raised, OKActions: ended } = Object(properties);
        expect(ended).toEqual(raised);
        const [article = ''] = alarm.split('/');
        const { severity } = Object(EDGE_ALARMS)[article];
        const topic = severity === 'critical' ? 'alarms' : 'warnings';
        // The topics of the operations stack by name, or those of the alarm's own stack.
        expect(joined(raised[0])).toMatch(new RegExp(`:sns:.*:prod-${topic}$|^<${topic}`, 'i'));
      }
  });

  it('read the metrics of CloudFront and its certificate in us-east-1', () => {
    const [app, alarms] = [new SynthesizedApp('fargate-abroad'), alarmsOf('fargate-abroad')];
    expect([
      alarms.get('edge-5xx/eu-central-1')?.stack,
      alarms.get('certificate-expires/edge/eu-central-1')?.stack,
    ]).toEqual(['edge-alarms', 'edge-alarms']);
    expect(metricsIn(alarms.get('edge-5xx/eu-central-1'))).toEqual([
      'AWS/CloudFront Requests Sum',
      'AWS/CloudFront 5xxErrorRate Average',
    ]);
    expect(JSON.stringify(alarms.get('edge-5xx/eu-central-1'))).toContain(
      '{"Name":"Region","Value":"Global"}',
    );
    // Two regions in one account have a stack each.
    expect(readdirSync(app.outdir)).toContain('Inference-prod-edge-alarms-eu-central-1.template.json');
  });
});

describe('the topics of the operations stack', () => {
  it('use the names by which a stack before it notifies them', () => {
    const names = new SynthesizedApp()
      .properties('operations', 'AWS::SNS::Topic')
      .map(({ TopicName: name }) => name);
    expect(names).toEqual(['prod-alarms', 'prod-warnings']);
  });
});

describe('the alarm of the APIs’ certificate', () => {
  it('exists with a name of one’s own, and is raised 30 days before the end', () => {
    expect(new SynthesizedApp().alarm('certificate-expires/domains')).toBeUndefined();
    const alarm = new SynthesizedApp('every-setting').alarm('certificate-expires/domains');
    expect(alarm).toMatchObject({ Threshold: 1, TreatMissingData: 'notBreaching' });
    expect(metricsIn(alarm)).toEqual(['AWS/CertificateManager DaysToExpiry Minimum']);
    expect(JSON.stringify(alarm)).toContain('IF(days < 30, 1, 0)');
  });
});
