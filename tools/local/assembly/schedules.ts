/** Describes the scheduled EventBridge rules of an assembly. */
import type { Stacks } from './stacks.ts';

export interface ScheduleTarget {
  /** A function or a state machine. */
  readonly arn: string;
  /** The role EventBridge starts a state machine in; a function allows EventBridge by itself. */
  readonly roleArn: string | undefined;
  /** JSON that replaces the event. */
  readonly input: string | undefined;
}

export interface ScheduleDescription {
  readonly name: string;
  readonly arn: string;
  /** `rate(...)` or `cron(...)` (EventBridge user guide, schedule expressions). */
  readonly expression: string;
  readonly targets: readonly ScheduleTarget[];
}

interface RuleProperties {
  /** Rules that wait for events are described elsewhere. */
  readonly EventPattern?: unknown;
  readonly ScheduleExpression?: string;
  readonly State?: string;
  readonly Targets?: readonly { readonly Arn: string; readonly RoleArn?: string; readonly Input?: string }[];
}

/** Every scheduled rule that is switched on. */
export function describeSchedules(stacks: Stacks): readonly ScheduleDescription[] {
  return stacks.resources('AWS::Events::Rule').flatMap(({ arn, identity, location, properties }) => {
    const {
      EventPattern,
      State,
      ScheduleExpression: expression,
      Targets: targets = [],
    } = properties<RuleProperties>();
    if (State === 'DISABLED' || EventPattern !== undefined) return [];
    if (expression === undefined) throw new Error(`${location}: it has neither a schedule nor a pattern`);
    return {
      name: identity.ref,
      arn,
      expression,
      targets: targets.map(({ Arn, RoleArn: roleArn, Input: input }) => ({ arn: Arn, roleArn, input })),
    };
  });
}
