/** Step Functions, as far as functions use it. Source: AWS Step Functions API reference, StartSyncExecution. */
import { randomUUID } from 'node:crypto';
import type { WorkflowDescription } from '../assembly/workflows.ts';
import type { AwsServiceHandler } from './endpoint.ts';
import { AwsError, parseBody, unknownCall } from './errors.ts';

export interface StatesServiceOptions {
  readonly workflows: readonly WorkflowDescription[];
  /** Runs an execution to its end. */
  readonly run: (workflowArn: string, input: unknown) => Promise<unknown>;
  readonly log: (line: string) => void;
}

interface StartSyncExecutionRequest {
  readonly stateMachineArn?: string;
  readonly name?: string;
  readonly input?: string;
}

const NAME = /^[A-Za-z0-9_.-]{1,80}$/;

/** The interpreter's error of an execution that ran into its own time limit. */
const TIMED_OUT = 'ExecutionTimeoutError';

/** An execution goes on when its caller leaves, and one of the same name is another execution. */
export function createStatesService({ workflows, run, log }: StatesServiceOptions): AwsServiceHandler {
  return async ({ operation, body, authorize }) => {
    if (operation !== 'StartSyncExecution') throw unknownCall(`Step Functions call ${operation}`);
    const {
      stateMachineArn = '',
      name = randomUUID(),
      input = '{}',
    } = parseBody<StartSyncExecutionRequest>(body);
    authorize('states:StartSyncExecution', stateMachineArn);
    const workflow = workflows.find(({ arn }) => arn === stateMachineArn);
    if (workflow === undefined)
      throw new AwsError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${stateMachineArn}'`);
    if (workflow.type !== 'EXPRESS')
      throw new AwsError('StateMachineTypeNotSupported', 'This operation is not supported by this type');
    if (!NAME.test(name)) throw new AwsError('InvalidName', `Invalid Name: '${name}'`);
    const started = {
      executionArn: `${stateMachineArn.replace(':stateMachine:', ':express:')}:${name}:${randomUUID()}`,
      stateMachineArn,
      name,
      input,
      startDate: Date.now() / 1000,
    };
    const execution = await run(stateMachineArn, parseInput(input)).then(
      (output) => ({ status: 'SUCCEEDED', output: JSON.stringify(output) }),
      ({ name: error, message: cause }: Error) => {
        log(`the execution ${name} failed: ${cause}`);
        return { status: error === TIMED_OUT ? 'TIMED_OUT' : 'FAILED', error, cause };
      },
    );
    return { ...started, ...execution, stopDate: Date.now() / 1000 };
  };
}

function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AwsError('InvalidExecutionInput', 'the input is not JSON');
  }
}
