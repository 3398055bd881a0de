/** Every state machine of the assembly, run by a local interpreter of Amazon States Language. */
import { StateMachine } from 'aws-local-stepfunctions';
import type { WorkflowDescription } from '../assembly/workflows.ts';

export interface WorkflowRunnerOptions {
  readonly workflows: readonly WorkflowDescription[];
  /** Invokes a function in the workflow's role and resolves with its result. */
  readonly invoke: (workflow: WorkflowDescription, functionArn: string, input: unknown) => Promise<unknown>;
}

type Definition = ConstructorParameters<typeof StateMachine>[0];
type Input = Parameters<StateMachine['run']>[0];

interface States {
  readonly States: Readonly<
    Record<string, { readonly Type: string; readonly Resource?: string; readonly ItemProcessor?: States }>
  >;
}

/** Runs an execution to its end and resolves with its output; rejects with the error a failed one ends in. */
export const workflowRunner =
  ({ workflows, invoke }: WorkflowRunnerOptions) =>
  async (arn: string, input: unknown): Promise<unknown> => {
    const workflow = workflows.find((each) => each.arn === arn);
    if (workflow === undefined) throw new Error(`no stack defines the state machine ${arn}`);
    const definition = workflow.definition as unknown as Definition & States;
    const handlers = functionsOf(definition).map(([name, functionArn]) => {
      const handle = (taskInput: unknown) => invoke(workflow, functionArn, taskInput);
      return [name, handle as (input: unknown) => Promise<never>] as const;
    });
    const overrides = { taskResourceLocalHandlers: Object.fromEntries(handlers) };
    return new StateMachine(definition).run(input as Input, { overrides }).result;
  };

/** The functions' ARNs by the names of the task states that run them, of those within maps too. */
const functionsOf = ({ States: states }: States): readonly (readonly [string, string])[] =>
  Object.entries(states).flatMap(([name, { Type, Resource = '', ItemProcessor }]) => [
    ...(Type === 'Task' ? [[name, Resource] as const] : []),
    ...(ItemProcessor === undefined ? [] : functionsOf(ItemProcessor)),
  ]);
