import { describe, expect, it } from '@jest/globals';
import { StateMachine } from 'aws-local-stepfunctions';
import { permissionsOf, resourceName } from './permissions.ts';
import { SynthesizedApp } from './synthesized-app.ts';

const app = new SynthesizedApp();
const STACK = 'inference';

const one = (type: string, prefix: string) => {
  const [found] = app.resources(STACK, type).filter(([id]) => id.startsWith(prefix));
  if (found === undefined) throw new Error(`there is no ${type} ${prefix}`);
  return found;
};
const [queueId, queue] = one('AWS::SQS::Queue', 'TranscriptionSettlementDeadLetters');
const [machineId, machine] = one('AWS::StepFunctions::StateMachine', 'TranscriptionSettlementWorkflow');
const [stepId] = one('AWS::Lambda::Function', 'TranscriptionSettlementsettletranscription');
const definition = JSON.parse(String(machine.Properties.DefinitionString));

describe('the workflow that settles transcriptions', () => {
  it('is a Standard one, whose executions keep their data out of the logs', () => {
    expect(machine.Properties).toMatchObject({
      StateMachineType: 'STANDARD',
      LoggingConfiguration: { IncludeExecutionData: false },
      DefinitionSubstitutions: {
        SettleTranscriptionFunctionArn: { 'Fn::GetAtt': [stepId, 'Arn'] },
        DeadLetterQueueUrl: { Ref: queueId },
      },
    });
  });

  it('may invoke its step, send dead letters, write logs and traces, and nothing else', () => {
    const roleId = app.reference(STACK, machine.Properties.RoleArn)?.id ?? '';
    const permissions = permissionsOf(app, STACK, roleId);
    expect(permissions.filter((permission) => !permission.endsWith(' *'))).toEqual([
      `lambda:InvokeFunction ${resourceName(app, STACK, { 'Fn::GetAtt': [stepId, 'Arn'] })}`,
      `sqs:SendMessage ${resourceName(app, STACK, { 'Fn::GetAtt': [queueId, 'Arn'] })}`,
    ]);
    const wild = permissions.filter((permission) => permission.endsWith(' *'));
    expect(wild.filter((permission) => !/^(logs|xray):/.test(permission))).toEqual([]);
  });

  it('is started by the transcription function alone', () => {
    const starters = app
      .resources(STACK, 'AWS::IAM::Role')
      .filter(([id]) =>
        permissionsOf(app, STACK, id).includes(
          `states:StartExecution ${resourceName(app, STACK, { Ref: machineId })}`,
        ),
      );
    expect(starters.map(([id]) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual(['createtranscriptionRole']);
  });

  it('has a dead-letter queue, encrypted, that keeps a letter for 14 days', () => {
    expect(queue.Properties).toMatchObject({
      QueueName: 'prod-dead-settlements',
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 14 * 24 * 60 * 60,
    });
  });

  // What fails leaves a letter.
  it('is watched by the alarm of its dead letters', () => {
    const alarms = app.resources('operations', 'AWS::CloudWatch::Alarm');
    expect(alarms.map(([, { Properties }]) => Properties.AlarmName)).toContain(
      'prod/dead-letters/dead-settlements',
    );
  });
});

/** Runs the definition itself with a step that fails so often, without its waits. */
async function run(failures: number) {
  const order = { requestId: 'req_1' };
  const letters: unknown[] = [];
  let tries = 0;
  const { result } = new StateMachine(definition).run(order, {
    overrides: {
      taskResourceLocalHandlers: {
        Settle: async () => {
          tries += 1;
          if (tries <= failures) throw new Error('the database is gone');
          return { cost: '1' };
        },
        DeadLetter: async (letter: unknown) => {
          letters.push(letter);
          return {};
        },
      },
      retryIntervalOverrides: { Settle: 0 },
    },
  });
  const outcome = await result.then(
    (output) => ({ output }),
    (failure: Error) => ({ failure: failure.name }),
  );
  return { ...outcome, tries, letters };
}

describe('the definition', () => {
  it.each([0, 1, 7])('settles after %d failures', async (failures) => {
    expect(await run(failures)).toEqual({ output: { cost: '1' }, tries: failures + 1, letters: [] });
  });

  it('sends the whole order to the dead letters when the last retry has failed, and fails', async () => {
    const { letters, tries, ...outcome } = await run(8);
    expect(tries).toBe(8);
    expect(letters).toEqual([
      { QueueUrl: expect.anything(), MessageBody: expect.objectContaining({ requestId: 'req_1' }) },
    ]);
    expect(outcome).not.toHaveProperty('output');
  });
});
