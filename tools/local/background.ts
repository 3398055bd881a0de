/** The work without a caller: schedules that invoke functions and workflows, each in the role from the template. */
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { Assembly } from './assembly/assembly.ts';
import type { ScheduleTarget } from './assembly/schedules.ts';
import { authorizeRole } from './aws/callers.ts';
import type { RolePrincipal } from './aws/iam/trust.ts';
import type { FunctionFleet } from './functions/function-fleet.ts';
import { workflowRunner } from './functions/workflow-runner.ts';
import { startScheduler } from './messaging/scheduler.ts';

export interface Background {
  /** Runs a state machine to its end, in its own role. */
  runWorkflow(arn: string, input: unknown): Promise<unknown>;
  stop(): void;
}

export interface BackgroundOptions {
  readonly assembly: Assembly;
  readonly functions: FunctionFleet;
  readonly enforceIam: boolean;
  readonly log: (line: string) => void;
}

export function startBackground(options: BackgroundOptions): Background {
  const { assembly, functions, log } = options;
  const runWorkflow = workflowRunner({
    workflows: assembly.workflows,
    async invoke({ name, roleArn, arn }, functionArn, input) {
      authorizeRole(options, roleArn, name, workflowOf(arn))('lambda:InvokeFunction', functionArn);
      return invokeBuffered(functions, functionArn, JSON.stringify(input));
    },
  });

  async function deliver({ arn, roleArn }: ScheduleTarget, event: string, ruleArn: string): Promise<void> {
    if (!assembly.workflows.some((workflow) => workflow.arn === arn)) {
      await invokeBuffered(functions, arn, event);
      return;
    }
    if (roleArn !== undefined) {
      const principal = { service: 'events.amazonaws.com', sourceArn: ruleArn };
      authorizeRole(options, roleArn, 'events', principal)('states:StartExecution', arn);
    }
    await runWorkflow(arn, JSON.parse(event));
  }

  const stop = startScheduler({ schedules: assembly.schedules, deliver, log });
  return { runWorkflow, stop };
}

/** Step Functions, for a state machine. */
const workflowOf = (sourceArn: string): RolePrincipal => ({ service: 'states.amazonaws.com', sourceArn });

/** Invokes a buffered function and resolves with its result. */
export async function invokeBuffered(functions: FunctionFleet, arn: string, event: string): Promise<unknown> {
  const result = await text(await functions.invoke(arn, Buffer.from(event), randomUUID()));
  return result === '' ? null : JSON.parse(result);
}
