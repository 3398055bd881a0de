/** Step Functions, as far as functions use it. Source: AWS Step Functions API reference, StartExecution. */
import type { WorkflowDescription } from '../assembly/workflows.ts';
import { type AwsService, sendJson } from './endpoint.ts';
import { AwsError, unknownCall } from './errors.ts';

export interface StatesServiceOptions {
  readonly workflows: readonly WorkflowDescription[];
  /** Runs an execution to its end. */
  readonly run: (workflowArn: string, input: unknown) => Promise<unknown>;
  readonly log: (line: string) => void;
}

interface StartExecutionRequest {
  readonly stateMachineArn?: string;
  readonly name?: string;
  readonly input?: string;
}

interface Execution {
  readonly executionArn: string;
  readonly startDate: number;
  readonly input: string;
  running: boolean;
}

const NAME = /^[A-Za-z0-9_.-]{1,80}$/;

export function createStatesService({ workflows, run, log }: StatesServiceOptions): AwsService {
  /** By workflow and name; AWS remembers them for 90 days, this process for as long as it lives. */
  const executions = new Map<string, Execution>();

  function start({ arn }: WorkflowDescription, name: string, input: string): Execution {
    const executionArn = `${arn.replace(':stateMachine:', ':execution:')}:${name}`;
    const execution = { executionArn, startDate: Date.now() / 1000, input, running: true };
    run(arn, JSON.parse(input))
      .catch((failure: Error) => log(`the execution ${name} failed: ${failure.message}`))
      .finally(() => {
        execution.running = false;
      });
    return execution;
  }

  return async ({ operation, body, authorize }, response) => {
    if (operation !== 'StartExecution') throw unknownCall(`Step Functions call ${operation}`);
    const { stateMachineArn = '', name = '', input = '{}' } = parse(body);
    authorize('states:StartExecution', stateMachineArn);
    const workflow = workflows.find(({ arn }) => arn === stateMachineArn);
    if (workflow === undefined)
      throw new AwsError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${stateMachineArn}'`);
    if (!NAME.test(name)) throw new AwsError('InvalidName', `Invalid Name: '${name}'`);
    const key = `${stateMachineArn} ${name}`;
    const known = executions.get(key);
    // A repeated start of a running execution is answered as the first one was.
    if (known !== undefined && !(known.running && known.input === input))
      throw new AwsError('ExecutionAlreadyExists', `Execution Already Exists: '${known.executionArn}'`);
    const execution = known ?? start(workflow, name, input);
    executions.set(key, execution);
    const { executionArn, startDate } = execution;
    sendJson(response, 200, JSON.stringify({ executionArn, startDate }));
  };
}

function parse(body: Buffer): StartExecutionRequest {
  try {
    return JSON.parse(body.toString()) as StartExecutionRequest;
  } catch {
    throw new AwsError('InvalidExecutionInput', 'the request body is not a JSON object');
  }
}
