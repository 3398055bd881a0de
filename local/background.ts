/** What happens without a caller: schedules that fire functions and workflows, each in the role the template gives it. */
import { randomUUID } from 'node:crypto';
import type { Assembly } from './assembly/assembly.ts';
import type { ScheduleTarget } from './assembly/schedules.ts';
import { authorizeAs } from './aws/callers.ts';
import { startScheduler } from './events/scheduler.ts';
import type { FunctionFleet } from './functions/function-fleet.ts';
import { WorkflowFleet } from './workflows/workflow-fleet.ts';

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

export function startBackground({ assembly, functions, enforceIam, log }: BackgroundOptions): Background {
  /** Throws when the role may not do it. */
  function authorize(
    roleArn: string | undefined,
    session: string,
    action: string,
    resourceArn: string,
  ): void {
    if (!enforceIam || roleArn === undefined) return;
    const role = assembly.roles.find(({ arn }) => arn === roleArn);
    if (role === undefined) throw new Error(`no stack defines the role ${roleArn}`);
    authorizeAs(role, session, log)(action, resourceArn);
  }

  const workflows = new WorkflowFleet({
    workflows: assembly.workflows,
    async invoke({ name, roleArn }, functionArn, input) {
      authorize(roleArn, name, 'lambda:InvokeFunction', functionArn);
      return invokeBuffered(functions, functionArn, JSON.stringify(input));
    },
  });

  async function deliver({ arn, roleArn }: ScheduleTarget, event: string): Promise<void> {
    if (!workflows.has(arn)) {
      await invokeBuffered(functions, arn, event);
      return;
    }
    authorize(roleArn, 'events', 'states:StartExecution', arn);
    await workflows.run(arn, JSON.parse(event));
  }

  const stop = startScheduler({ schedules: assembly.schedules, deliver, log });
  return { runWorkflow: (arn, input) => workflows.run(arn, input), stop };
}

/** Invokes a buffered function and resolves with its result. */
export async function invokeBuffered(functions: FunctionFleet, arn: string, event: string): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of await functions.invoke(arn, Buffer.from(event), randomUUID())) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? null : JSON.parse(text);
}
