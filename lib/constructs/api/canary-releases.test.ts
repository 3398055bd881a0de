import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../../lambdas/app/routes.ts';
import { joined, SynthesizedApp } from '../../../test/template/synthesized-app.ts';

const standard = new SynthesizedApp();
const app = new SynthesizedApp('canary');

const PAID = ROUTES.flatMap((route) => ('paid' in route && route.paid ? [route.endpoint] : [])).toSorted();

const resources = (type: string) => app.resources('inference', type);
const targetOf = (expression: unknown) => app.reference('inference', expression)?.id ?? '';
const functionOf = (expression: unknown) => app.functionName('inference', targetOf(expression));

/** Types that only releases have. */
const RELEASED = [
  'AWS::Lambda::Version',
  'AWS::Lambda::Alias',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
];

describe('releases all at once', () => {
  it('create no alias, no version and no deployment group', () => {
    for (const type of RELEASED) expect([type, standard.resources('inference', type)]).toEqual([type, []]);
  });
});

describe('canary releases', () => {
  const aliases = resources('AWS::Lambda::Alias');

  it('create an alias for the function of each paid route, and for no other', () => {
    expect(aliases.map(([, { Properties }]) => functionOf(Properties.FunctionName)).toSorted()).toEqual(PAID);
    expect(aliases.map(([, { Properties }]) => Properties.Name)).toEqual(PAID.map(() => 'live'));
    expect(app.resources('platform', 'AWS::Lambda::Alias')).toEqual([]);
  });

  it('shift by CodeDeploy: one call in ten first, and a rollback on a failure or an alarm', () => {
    const groups = resources('AWS::CodeDeploy::DeploymentGroup');
    expect(groups.map(([, { Properties }]) => Properties.DeploymentGroupName).toSorted()).toEqual(PAID);
    for (const [, { Properties: group }] of groups) {
      expect(group.DeploymentConfigName).toBe('CodeDeployDefault.LambdaCanary10Percent5Minutes');
      expect(group.AutoRollbackConfiguration).toEqual({
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      });
    }
    const ids = groups.map(([id]) => id);
    for (const [, alias] of aliases) {
      const policy = Object(Object(alias).UpdatePolicy).CodeDeployLambdaAliasUpdate;
      expect(ids).toContain(targetOf(policy.DeploymentGroupName));
    }
  });

  it('watch the error share of the new version, throttles and the 5xx of the API', () => {
    const alarms = new Map(resources('AWS::CloudWatch::Alarm'));
    const names = (group: Readonly<Record<string, unknown>>) => {
      const { Enabled: enabled, Alarms: listed } = Object(group.AlarmConfiguration);
      expect(enabled).toBe(true);
      return (listed as { readonly Name: unknown }[])
        .map(({ Name }) => alarms.get(targetOf(Name))?.Properties.AlarmName)
        .toSorted();
    };
    for (const [, { Properties: group }] of resources('AWS::CodeDeploy::DeploymentGroup')) {
      const name = String(group.DeploymentGroupName);
      const expected = [`${name}-errors`, `${name}-throttles`, 'api-5xx'];
      expect(names(group)).toEqual(expected.map((alarm) => `prod/release/${alarm}`).toSorted());
    }
    const [errors] = [...alarms.values()].filter(({ Properties: { AlarmName: name } }) =>
      String(name).endsWith('chat-completion-errors'),
    );
    const metrics = errors?.Properties.Metrics as { readonly MetricStat?: { readonly Metric: object } }[];
    const dimensions = metrics.flatMap(({ MetricStat: stat }) => Object(stat?.Metric).Dimensions ?? []);
    const version = dimensions.filter(({ Name }) => Name === 'ExecutedVersion').map(({ Value }) => Value);
    const versions = resources('AWS::Lambda::Version').map(([id]) => id);
    expect(version).toHaveLength(2);
    for (const value of version) expect(versions).toContain(targetOf(value));
  });

  it('retain the previous versions, to which a release rolls back', () => {
    const policies = resources('AWS::Lambda::Version').map(([, version]) => version.DeletionPolicy);
    expect(policies).toEqual(PAID.map(() => 'Retain'));
  });

  it('receive the calls of the API', () => {
    const ids = aliases.map(([id]) => id);
    const called = resources('AWS::ApiGateway::Method').flatMap(([, { Properties }]) => {
      const uri = joined(Object(Properties.Integration).Uri);
      return ids.filter((id) => uri.includes(`<${id}>`));
    });
    expect(called.toSorted()).toEqual(ids.toSorted());
  });

  it('create a separate deployment of the API, without which its stage would still call the functions', () => {
    const [[deployment] = []] = resources('AWS::ApiGateway::Deployment');
    const [[before] = []] = standard.resources('inference', 'AWS::ApiGateway::Deployment');
    expect(deployment).toEqual(expect.any(String));
    expect(deployment).not.toBe(before);
  });

  it('change nothing else of the templates', () => {
    for (const stack of ['data', 'platform', 'operations'] as const)
      expect(Object.keys(app.templates[stack].Resources)).toEqual(
        Object.keys(standard.templates[stack].Resources),
      );
  });
});
