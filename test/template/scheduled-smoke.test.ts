import { describe, expect, it } from '@jest/globals';
import { CONFIGURATIONS } from './configurations.ts';
import { permissionsOf } from './permissions.ts';
import { SynthesizedApp } from './synthesized-app.ts';

const STACK = 'inference';
const app = new SynthesizedApp('every-setting');
const { stage, smoke } = CONFIGURATIONS['every-setting'];

const [id = '', smokeFunction] =
  app.resources(STACK, 'AWS::Lambda::Function').find(([id]) => app.functionName(STACK, id) === 'run-smoke') ??
  [];
describe('a deployment without the setting', () => {
  it('contains nothing of the scheduled smoke test', () => {
    expect(JSON.stringify(new SynthesizedApp().templates)).not.toMatch(/smoke/i);
  });
});

describe('the scheduled smoke test', () => {
  it('runs as often as the setting specifies', () => {
    const rules = app
      .properties(STACK, 'AWS::Events::Rule')
      .filter(({ Name: name }) => String(name).endsWith('-run-smoke'));
    expect(rules).toEqual([
      expect.objectContaining({
        State: 'ENABLED',
        ScheduleExpression: `rate(${smoke.everyMinutes} minutes)`,
        Targets: [expect.objectContaining({ Arn: { 'Fn::GetAtt': [id, 'Arn'] } })],
      }),
    ]);
  });

  it('runs once, also if it fails, because the alarm counts failed runs', () => {
    const functions = app
      .properties(STACK, 'AWS::Lambda::EventInvokeConfig')
      .map(({ FunctionName: name, MaximumRetryAttempts: retries }) => [name, retries]);
    expect(functions).toEqual([[{ Ref: id }, 0]]);
  });

  it('receives the models, and the location of its key', () => {
    const { Variables: variables } = Object(smokeFunction?.Properties.Environment);
    expect(variables).toMatchObject({ SMOKE_SECRET: `${stage}/smoke`, SMOKE_MODELS: 'acme/chat,acme/image' });
  });

  it('reads only the catalog table item by item and its own secret, and writes only its log and traces', () => {
    const roleId = app.reference(STACK, smokeFunction?.Properties.Role)?.id ?? '';
    const permissions = permissionsOf(app, STACK, roleId).filter((each) => !/^(logs|xray):/.test(each));
    expect(permissions.filter((each) => !each.startsWith('secretsmanager:'))).toEqual([
      'dynamodb:GetItem data:Catalog.Arn',
    ]);
    const secrets = permissions.filter((each) => each.startsWith('secretsmanager:'));
    expect(secrets).toEqual([
      expect.stringMatching(new RegExp(`^secretsmanager:GetSecretValue .*:secret:${stage}/smoke$`)),
      expect.stringMatching(new RegExp(`^secretsmanager:GetSecretValue .*:secret:${stage}/smoke-\\?{6}$`)),
    ]);
  });

  it('causes the only alarm that reports missing data in this way, but for that of the reconciliation', () => {
    const silent = app
      .properties('operations', 'AWS::CloudWatch::Alarm')
      .filter(({ InsufficientDataActions: actions }) => actions !== undefined);
    expect(silent.map(({ AlarmName: name }) => String(name).split('/')[1])).toEqual([
      'reconciliation-missing',
      'smoke-failed',
    ]);
  });
});
