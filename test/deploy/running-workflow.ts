/** An execution of the deployed audit workflow, started as an operator would and followed to its end. */
import { CloudFormationClient, DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { until } from '../../tools/test-kit/waiting.ts';
import type { Emulator } from './emulator.ts';

interface Execution {
  readonly status: string;
  readonly output?: string;
}

export class RunningWorkflow {
  readonly #emulator: Emulator;
  readonly #executionArn: string;

  private constructor(emulator: Emulator, executionArn: string) {
    this.#emulator = emulator;
    this.#executionArn = executionArn;
  }

  /** Starts the state machine of the stack whose name ends so. */
  static async start(emulator: Emulator, stackName: string, name: string): Promise<RunningWorkflow> {
    const client = new CloudFormationClient(emulator.client);
    const resources = await client.send(new DescribeStackResourcesCommand({ StackName: stackName }));
    client.destroy();
    const machine = resources.StackResources?.find(
      ({ ResourceType, PhysicalResourceId: arn = '' }) =>
        ResourceType === 'AWS::StepFunctions::StateMachine' && arn.endsWith(name),
    );
    const { executionArn } = await call<{ executionArn: string }>(emulator, 'StartExecution', {
      stateMachineArn: machine?.PhysicalResourceId,
      input: '{}',
    });
    return new RunningWorkflow(emulator, executionArn);
  }

  /** Returns the output of the workflow; throws if it did not succeed. */
  async output(): Promise<unknown> {
    const describe = () =>
      call<Execution>(this.#emulator, 'DescribeExecution', { executionArn: this.#executionArn });
    const execution = await until(describe, ({ status }) => status !== 'RUNNING');
    if (execution.status === 'SUCCEEDED') return JSON.parse(execution.output ?? 'null');
    throw new Error(`the workflow ended: ${JSON.stringify(execution)}`);
  }
}

/** The Step Functions API (AWS JSON 1.0), for which the project has no other use of a client. */
async function call<T>(emulator: Emulator, action: string, input: object): Promise<T> {
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `AWSStepFunctions.${action}`,
  };
  const response = await emulator.send('states', '/', {
    method: 'POST',
    headers,
    body: JSON.stringify(input),
  });
  return (await response.json()) as T;
}
