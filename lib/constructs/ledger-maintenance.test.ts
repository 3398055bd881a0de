import { describe, expect, it } from '@jest/globals';
import { AUDIT_SCHEDULE, CONSUMERS } from '../../lambdas/platform/contract/consumers.ts';
import { permissionsOf, resourceName } from '../../test/template/permissions.ts';
import { SynthesizedApp } from '../../test/template/synthesized-app.ts';

const app = new SynthesizedApp();
const STACK = 'inference';

const functionOf = (name: string): string => {
  const [id] =
    app.resources(STACK, 'AWS::Lambda::Function').find(([each]) => app.functionName(STACK, each) === name) ??
    [];
  if (id === undefined) throw new Error(`there is no function ${name}`);
  return id;
};

interface State {
  readonly Type: string;
  readonly Catch?: readonly object[];
  readonly ItemProcessor?: Machine;
}

interface Machine {
  readonly StartAt: string;
  readonly TimeoutSeconds?: number;
  readonly States: Readonly<Record<string, State>>;
}

const [[machineId = '', machine] = []] = app
  .resources(STACK, 'AWS::StepFunctions::StateMachine')
  .filter(([id]) => id.startsWith('LedgerUpkeep'));
const definition = JSON.parse(String(machine?.Properties.DefinitionString)) as Machine;

describe('the sweeper of holds', () => {
  it('runs on its own schedule alone, and ends before it runs again', () => {
    const permissions = app
      .properties(STACK, 'AWS::Lambda::Permission')
      .filter(({ FunctionName: name }) => app.reference(STACK, name)?.id === functionOf('sweep-holds'));
    expect(permissions).toEqual([
      expect.objectContaining({ Action: 'lambda:InvokeFunction', Principal: 'events.amazonaws.com' }),
    ]);
    const source = app.reference(STACK, permissions[0]?.SourceArn);
    expect(app.templates.inference.Resources[source?.id ?? '']?.Properties.ScheduleExpression).toBe(
      'rate(5 minutes)',
    );
    expect(CONSUMERS['sweep-holds'].timeoutSeconds).toBeLessThan(5 * 60);
  });
});

describe('the audit of the ledger', () => {
  it('starts once a day, by a role that may start it and nothing else', () => {
    const rules = app.properties(STACK, 'AWS::Events::Rule');
    const rule = rules.find(({ ScheduleExpression: schedule }) => schedule === AUDIT_SCHEDULE);
    const [target] = (rule?.Targets ?? []) as { readonly Arn: unknown; readonly RoleArn: unknown }[];
    expect(target?.Arn).toEqual({ Ref: machineId });
    const roleId = app.reference(STACK, target?.RoleArn)?.id ?? '';
    expect(permissionsOf(app, STACK, roleId)).toEqual([
      `states:StartExecution ${resourceName(app, STACK, { Ref: machineId })}`,
    ]);
  });

  it('excludes the data of its executions from its logs', () => {
    expect(machine?.Properties).toMatchObject({
      StateMachineType: 'STANDARD',
      LoggingConfiguration: { IncludeExecutionData: false },
    });
  });

  it('ends in success or failure, before the next run starts, and no failed segment stops another', () => {
    const types = Object.values(definition.States).map(({ Type }) => Type);
    expect(types).toEqual(expect.arrayContaining(['Succeed', 'Fail']));
    expect(definition.TimeoutSeconds).toBeLessThan(24 * 3600);
    const [segment] = Object.values(definition.States).flatMap(({ ItemProcessor: each }) => each ?? []);
    expect(segment?.States[segment.StartAt]?.Catch).toEqual([
      expect.objectContaining({ ErrorEquals: ['States.ALL'], ResultPath: '$.failure' }),
    ]);
  });
});

describe('a workflow', () => {
  it.each([
    ['LedgerUpkeep', 'audit-books'],
    ['TranscriptionSettlement', 'settle-transcription'],
  ])('holds only the permissions to invoke its step and to write logs and traces: %s', (prefix, step) => {
    const [[, workflow] = []] = app
      .resources(STACK, 'AWS::StepFunctions::StateMachine')
      .filter(([id]) => id.startsWith(prefix));
    const roleId = app.reference(STACK, workflow?.Properties.RoleArn)?.id ?? '';
    const permissions = permissionsOf(app, STACK, roleId);
    expect(permissions.filter((permission) => !/^(logs|xray):\w+ \*$/.test(permission))).toEqual([
      `lambda:InvokeFunction ${resourceName(app, STACK, { 'Fn::GetAtt': [functionOf(step), 'Arn'] })}`,
    ]);
  });
});

describe('the roles of the stack', () => {
  it('belong to the functions, two workflows, a schedule, and API Gateway for its calls and its logs', () => {
    const principals = app
      .properties(STACK, 'AWS::IAM::Role')
      .map(({ AssumeRolePolicyDocument: trust }) => Object(trust).Statement[0].Principal.Service as string)
      .filter((service) => service !== 'lambda.amazonaws.com');
    expect(principals.sort()).toEqual([
      'apigateway.amazonaws.com',
      'apigateway.amazonaws.com',
      'events.amazonaws.com',
      'states.amazonaws.com',
      'states.amazonaws.com',
    ]);
  });
});
