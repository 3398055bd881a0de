import { describe, expect, it } from '@jest/globals';
import { StateMachine } from 'aws-local-stepfunctions';
import { SETTLED_WITHIN_MS } from '../../lambdas/inference/store/create-settlements.ts';
import { permissionsOf, resourceName } from '../../test/template/permissions.ts';
import { SynthesizedApp } from '../../test/template/synthesized-app.ts';

const app = new SynthesizedApp();
const STACK = 'inference';

const one = (type: string, prefix: string) => {
  const [resource] = app.resources(STACK, type).filter(([id]) => id.startsWith(prefix));
  if (resource === undefined) throw new Error(`there is no ${type} ${prefix}`);
  return resource;
};
const [machineId, machine] = one('AWS::StepFunctions::StateMachine', 'TranscriptionSettlementWorkflow');
const [stepId] = one('AWS::Lambda::Function', 'TranscriptionSettlementsettletranscription');
const definition = JSON.parse(String(machine.Properties.DefinitionString));

describe('the workflow that settles transcriptions', () => {
  it('runs as an Express workflow, and logs failures without data', () => {
    expect(machine.Properties).toMatchObject({
      StateMachineType: 'EXPRESS',
      LoggingConfiguration: { Level: 'ERROR', IncludeExecutionData: false },
      DefinitionSubstitutions: { SettleTranscriptionFunctionArn: { 'Fn::GetAtt': [stepId, 'Arn'] } },
    });
  });

  it('starts only from the transcription function', () => {
    const starters = app
      .resources(STACK, 'AWS::IAM::Role')
      .filter(([id]) =>
        permissionsOf(app, STACK, id).includes(
          `states:StartSyncExecution ${resourceName(app, STACK, { Ref: machineId })}`,
        ),
      );
    expect(starters.map(([id]) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual(['createtranscriptionRole']);
  });
});

/** Runs the definition itself with a step that fails so often, without its waits. */
async function run(failures: number) {
  let tries = 0;
  const { result } = new StateMachine(definition).run(
    { requestId: 'req_1' },
    {
      overrides: {
        taskResourceLocalHandlers: {
          Settle: async () => {
            tries += 1;
            if (tries <= failures) throw new Error('the database is gone');
            return { cost: '1', balance: '2' };
          },
        },
        retryIntervalOverrides: { Settle: 0 },
      },
    },
  );
  const outcome = await result.then(
    (output) => ({ output }),
    ({ message }: Error) => ({ message }),
  );
  return { ...outcome, tries };
}

describe('the definition', () => {
  it.each([0, 1, 5])('returns the output of its step after %d failures', async (failures) => {
    expect(await run(failures)).toEqual({ output: { cost: '1', balance: '2' }, tries: failures + 1 });
  });

  it('fails when the last retry has failed', async () => {
    expect(await run(6)).toEqual({
      message: 'Execution has failed with the following error: the database is gone',
      tries: 6,
    });
  });

  it('ends before its caller stops waiting', () => {
    expect(definition.TimeoutSeconds * 1_000).toBeLessThan(SETTLED_WITHIN_MS);
  });
});
