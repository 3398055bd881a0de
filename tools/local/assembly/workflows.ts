/** Describes the Step Functions state machines of an assembly: the definition with its substitutions made. */
import type { Stacks } from './stacks.ts';

export interface WorkflowDescription {
  readonly name: string;
  readonly arn: string;
  readonly roleArn: string;
  readonly type: 'STANDARD' | 'EXPRESS';
  /** Amazon States Language, JSONPath (states-language.net/spec.html). */
  readonly definition: Readonly<Record<string, unknown>>;
}

interface StateMachineProperties {
  readonly DefinitionString?: string;
  readonly DefinitionSubstitutions?: Readonly<Record<string, string>>;
  readonly RoleArn: string;
  readonly StateMachineType?: WorkflowDescription['type'];
}

export function describeWorkflows(stacks: Stacks): readonly WorkflowDescription[] {
  return stacks
    .resources('AWS::StepFunctions::StateMachine')
    .map(({ arn, identity, location, properties }) => {
      const {
        DefinitionString,
        DefinitionSubstitutions = {},
        RoleArn: roleArn,
        StateMachineType: type = 'STANDARD',
      } = properties<StateMachineProperties>();
      if (DefinitionString === undefined)
        throw new Error(`${location}: its definition is not in the template`);
      const text = Object.entries(DefinitionSubstitutions).reduce(
        (definition, [name, value]) => definition.replaceAll(`\${${name}}`, value),
        DefinitionString,
      );
      const definition = JSON.parse(text) as Record<string, unknown>;
      return { name: String(identity.attributes.Name), arn, roleArn, type, definition };
    });
}
