/** Describes the Step Functions state machines of an assembly: the definition with its substitutions made. */
import type { LocatedResource, Stacks } from './stacks.ts';

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
  return stacks.resources('AWS::StepFunctions::StateMachine').map(describeWorkflow);
}

function describeWorkflow(resource: LocatedResource): WorkflowDescription {
  const properties = resource.properties<StateMachineProperties>();
  const location = `${resource.stack.name}/${resource.logicalId}`;
  if (properties.DefinitionString === undefined)
    throw new Error(`${location}: its definition is not in the template`);
  const text = Object.entries(properties.DefinitionSubstitutions ?? {}).reduce(
    (definition, [name, value]) => definition.replaceAll(`\${${name}}`, value),
    properties.DefinitionString,
  );
  return {
    name: String(resource.identity.attributes.Name),
    arn: resource.identity.ref,
    roleArn: properties.RoleArn,
    type: properties.StateMachineType ?? 'STANDARD',
    definition: JSON.parse(text) as Record<string, unknown>,
  };
}
