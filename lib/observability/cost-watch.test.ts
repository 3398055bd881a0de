import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { ConfigurationName } from '../../test/template/configurations.ts';
import {
  joined,
  type Resource,
  type StackName,
  SynthesizedApp,
} from '../../test/template/synthesized-app.ts';

const STACKS: readonly StackName[] = [
  'data',
  'inference',
  'platform',
  'operations',
  'ingress',
  'edge-alarms',
];

/** Returns the tags of a resource whose type takes them as a list. Other types have another form. */
const tagsOf = ({ Properties }: Resource): Readonly<Record<string, string>> | undefined => {
  const [replica] = (Properties?.Replicas ?? [Properties]) as readonly Resource['Properties'][];
  const tags = replica?.Tags as readonly { readonly Key: string; readonly Value: string }[] | undefined;
  return Array.isArray(tags) ? Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value])) : undefined;
};

/** The resource types that cause costs. */
const BILLED = [
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::CloudWatch::Alarm',
  'AWS::DynamoDB::GlobalTable',
  'AWS::ECS::Service',
  'AWS::Lambda::Function',
  'AWS::Logs::LogGroup',
  'AWS::SNS::Topic',
  'AWS::SQS::Queue',
  'AWS::SecretsManager::Secret',
  'AWS::StepFunctions::StateMachine',
  'AWS::WAFv2::WebACL',
  'AWS::CloudFront::Distribution',
  'AWS::ElasticLoadBalancingV2::LoadBalancer',
];

/** The region of a configuration; a template has a parameter for it if the settings do not name it. */
const regionOf = (name: ConfigurationName) => (name === 'fargate-abroad' ? 'eu-central-1' : undefined);
const inRegion = (text: string, region: string | undefined) =>
  region === undefined ? { 'Fn::Join': ['', [text, { Ref: 'AWS::Region' }]] } : `${text}${region}`;
const tagOf = (stack: StackName, region: string | undefined) =>
  stack === 'edge-alarms'
    ? `Inference-prod-edge-alarms-${region}/us-east-1`
    : inRegion(`Inference-prod-${stack}/`, region);

describe.each<ConfigurationName>(['standard', 'fargate', 'fargate-abroad'])('the tags under %s', (name) => {
  it('appear on everything that is billed', () => {
    const app = new SynthesizedApp(name);
    let count = 0;
    for (const stack of STACKS)
      for (const type of BILLED)
        for (const [id, resource] of app.resources(stack, type)) {
          // The CDK's own functions, which run once in a deployment, take no tags.
          if (id.startsWith('Custom')) continue;
          count++;
          expect([id, tagsOf(resource)]).toEqual([
            id,
            expect.objectContaining({
              application: 'unified-inference-service',
              stage: 'prod',
              stack: tagOf(stack, regionOf(name)),
            }),
          ]);
        }
    expect(count).toBeGreaterThan(200);
  });

  it('reach the tasks on Fargate through their service', () => {
    const services = new SynthesizedApp(name).properties('ingress', 'AWS::ECS::Service');
    expect(services.map(({ PropagateTags: from }) => from)).toEqual(name === 'standard' ? [] : ['SERVICE']);
  });

  it('change no VPC origin, neither its own nor those of its stack', () => {
    const app = new SynthesizedApp(name);
    const origins = app.properties('ingress', 'AWS::CloudFront::VpcOrigin');
    expect(origins.map(({ Tags: tags }) => tags)).toEqual(name === 'standard' ? [] : [undefined]);
    const { artifacts } = JSON.parse(readFileSync(join(app.outdir, 'manifest.json'), 'utf8')) as {
      artifacts: Record<string, { readonly properties?: { readonly tags?: object } }>;
    };
    const stacks = Object.values(artifacts).flatMap(({ properties }) => properties?.tags ?? []);
    expect(stacks).toEqual([]);
  });
});

const app = new SynthesizedApp('every-setting');
const stacks = ['data', 'inference', 'platform', 'operations'].map(
  (stack) => `Inference-eu-test-2-${stack}/<AWS::Region>`,
);
const topicOf = (id: string) => ({ Ref: expect.stringMatching(new RegExp(`^${id}[0-9A-F]{8}$`)) });

describe('the budget', () => {
  const { Properties } = app.only('operations', 'AWS::Budgets::Budget');

  it('covers a month, and resources with the tag of a stack of the deployment', () => {
    const { CostFilters: filters, ...budget } = Properties.Budget as Record<string, unknown>;
    expect(Object(filters).TagKeyValue.map(joined)).toEqual(stacks.map((stack) => `user:stack$${stack}`));
    expect(budget).toEqual({
      BudgetName: inRegion('eu-test-2-unified-inference-service-', undefined),
      BudgetType: 'COST',
      TimeUnit: 'MONTHLY',
      BudgetLimit: { Amount: 250, Unit: 'USD' },
    });
  });
});

describe('the search for unusual costs', () => {
  it('covers resources with the tag of a stack of the deployment, from the configured amount on', () => {
    const { Properties: monitor } = app.only('operations', 'AWS::CE::AnomalyMonitor');
    expect(monitor.MonitorType).toBe('CUSTOM');
    expect(JSON.parse(joined(monitor.MonitorSpecification))).toEqual({
      Tags: { Key: 'stack', Values: stacks, MatchOptions: ['EQUALS'] },
    });
    const { Properties: subscription } = app.only('operations', 'AWS::CE::AnomalySubscription');
    expect(JSON.parse(String(subscription.ThresholdExpression)).Dimensions).toEqual({
      Key: 'ANOMALY_TOTAL_IMPACT_ABSOLUTE',
      MatchOptions: ['GREATER_THAN_OR_EQUAL'],
      Values: ['40'],
    });
    expect(subscription).toMatchObject({
      Frequency: 'IMMEDIATE',
      Subscribers: [{ Type: 'SNS', Address: topicOf('Warnings') }],
    });
  });
});

describe('a topic', () => {
  const publishers = (synthesizedApp: SynthesizedApp) =>
    Object.fromEntries(
      synthesizedApp.resources('operations', 'AWS::SNS::TopicPolicy').map(([id, { Properties }]) => {
        const { Statement: statements } = Properties.PolicyDocument as {
          Statement: Record<string, unknown>[];
        };
        const services = statements.flatMap(({ Principal: principal }) => Object(principal).Service ?? []);
        return [id.replace(/Policy[0-9A-F]{8}$/, ''), services];
      }),
    );

  it('accepts messages of the rule for malware, and of budgets and the cost search if configured, from this account alone', () => {
    const [cloudwatch, rules, budgets, costs] = ['cloudwatch', 'events', 'budgets', 'costalerts'].map(
      (it) => `${it}.amazonaws.com`,
    );
    expect(publishers(app)).toEqual({
      Alarms: [cloudwatch, rules, budgets],
      Warnings: [cloudwatch, budgets, costs],
    });
    expect(publishers(new SynthesizedApp())).toEqual({ Alarms: [cloudwatch, rules], Warnings: [cloudwatch] });
    for (const [, { Properties }] of app.resources('operations', 'AWS::SNS::TopicPolicy'))
      for (const { Effect, Principal, Condition } of Object(Properties.PolicyDocument).Statement) {
        if (Effect !== 'Allow') continue;
        expect(Condition).toMatchObject({ StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } });
        if (Principal.Service === budgets)
          expect(JSON.stringify(Condition.ArnLike)).toMatch(/aws:SourceArn.*:budgets::.*AWS::AccountId.*:\*/);
      }
  });
});

describe('without the settings', () => {
  it('there is neither a budget nor a search', () => {
    const standard = new SynthesizedApp();
    for (const type of ['AWS::Budgets::Budget', 'AWS::CE::AnomalyMonitor', 'AWS::CE::AnomalySubscription'])
      expect(standard.resources('operations', type)).toEqual([]);
  });
});
