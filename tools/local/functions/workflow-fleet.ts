/** Every state machine of the assembly, run by a local interpreter of Amazon States Language. */
import { StateMachine } from 'aws-local-stepfunctions';
import type { WorkflowDescription } from '../assembly/workflows.ts';

export interface WorkflowFleetOptions {
  readonly workflows: readonly WorkflowDescription[];
  /** Invokes a function in the workflow's role and resolves with its result. */
  readonly invoke: (workflow: WorkflowDescription, functionArn: string, input: unknown) => Promise<unknown>;
}

type Definition = ConstructorParameters<typeof StateMachine>[0];
type Input = Parameters<StateMachine['run']>[0];

export class WorkflowFleet {
  readonly #options: WorkflowFleetOptions;
  readonly #workflows: ReadonlyMap<string, WorkflowDescription>;

  constructor(options: WorkflowFleetOptions) {
    this.#options = options;
    this.#workflows = new Map(options.workflows.map((workflow) => [workflow.arn, workflow]));
  }

  has(arn: string): boolean {
    return this.#workflows.has(arn);
  }

  /** Runs an execution to its end and resolves with its output; rejects with the error a failed one ends in. */
  async run(arn: string, input: unknown): Promise<unknown> {
    const workflow = this.#workflows.get(arn);
    if (workflow === undefined) throw new Error(`no stack defines the state machine ${arn}`);
    const machine = new StateMachine(workflow.definition as unknown as Definition);
    const { result } = machine.run(input as Input, {
      overrides: { taskResourceLocalHandlers: this.#handlers(workflow) },
    });
    return result;
  }

  /** A handler for each task state: its resource is a function's ARN. */
  #handlers(workflow: WorkflowDescription) {
    return Object.fromEntries(
      tasksOf(workflow.definition as unknown as States).map(([name, { Resource: functionArn = '' }]) => [
        name,
        (input: unknown) => this.#options.invoke(workflow, functionArn, input),
      ]),
    ) as Record<string, (input: unknown) => Promise<never>>;
  }
}

interface States {
  readonly States: Readonly<Record<string, State>>;
}

interface State {
  readonly Type: string;
  readonly Resource?: string;
  readonly ItemProcessor?: States;
}

/** The task states by name, those within maps too. */
const tasksOf = ({ States: states }: States): readonly (readonly [string, State])[] =>
  Object.entries(states).flatMap(([name, state]) => [
    ...(state.Type === 'Task' ? [[name, state] as const] : []),
    ...(state.ItemProcessor === undefined ? [] : tasksOf(state.ItemProcessor)),
  ]);
