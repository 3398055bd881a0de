import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { ExecutionTimeoutError } from 'aws-local-stepfunctions';
import { createStatesService } from './states-service.ts';

const ARN = 'arn:aws:states:us-east-1:000000000000:stateMachine:settle';
const machine = { arn: ARN, roleArn: 'role', definition: {} };
const workflows = [
  { ...machine, name: 'settle', type: 'EXPRESS' as const },
  { ...machine, arn: `${ARN}-standard`, name: 'audit', type: 'STANDARD' as const },
];

type Run = (arn: string, input: unknown) => Promise<unknown>;

/** Sends a call; what is answered. */
async function start(
  request: object | string,
  run: Run = async () => ({ done: true }),
  operation = 'StartSyncExecution',
): Promise<Record<string, unknown>> {
  const service = createStatesService({ workflows, run, log: () => {} });
  const allowed: string[] = [];
  const body = Buffer.from(typeof request === 'string' ? request : JSON.stringify(request));
  const target = `AWSStepFunctions.${operation}`;
  const authorize = (action: string, arn: string) => void allowed.push(`${action} ${arn}`);
  const call = { operation, target, method: 'POST', path: '/', body, headers: {}, authorize };
  const answer = await service(call, {} as ServerResponse);
  expect(allowed).toEqual([`states:StartSyncExecution ${ARN}`]);
  return { ...answer };
}

const REQUEST = { stateMachineArn: ARN, name: 'req_1', input: '{"a":1}' };

describe('the synchronous start of an execution', () => {
  it('returns the output of the execution', async () => {
    expect(await start(REQUEST, async (arn, input) => ({ arn, input }))).toEqual({
      executionArn: expect.stringMatching(/^arn:aws:states:us-east-1:000000000000:express:settle:req_1:./),
      stateMachineArn: ARN,
      name: 'req_1',
      input: '{"a":1}',
      status: 'SUCCEEDED',
      output: JSON.stringify({ arn: ARN, input: { a: 1 } }),
      startDate: expect.any(Number),
      stopDate: expect.any(Number),
    });
  });

  it('returns the error of an execution that fails or reaches its time limit', async () => {
    const fail = (failure: Error) => start(REQUEST, () => Promise.reject(failure));
    expect(await fail(new Error('gone'))).toMatchObject({ status: 'FAILED', error: 'Error', cause: 'gone' });
    expect(await fail(new ExecutionTimeoutError())).toMatchObject({ status: 'TIMED_OUT' });
  });

  it.each([
    [
      'a state machine that is not there',
      { ...REQUEST, stateMachineArn: 'none' },
      'StateMachineDoesNotExist',
    ],
    ['a Standard one', { ...REQUEST, stateMachineArn: `${ARN}-standard` }, 'StateMachineTypeNotSupported'],
    ['a name with spaces', { ...REQUEST, name: 'a b' }, 'InvalidName'],
    ['an input that is not JSON', { ...REQUEST, input: '{' }, 'InvalidExecutionInput'],
    ['a body that is not JSON', '{', 'SerializationException'],
  ])('rejects %s', async (_name, request, code) => {
    await expect(start(request)).rejects.toMatchObject({ name: code });
  });

  it('causes an error for any other operation', async () => {
    await expect(start(REQUEST, undefined, 'StartExecution')).rejects.toThrow('StartExecution');
  });
});
