/**
 * Decides whether IAM statements allow a call, as AWS does for identity policies: an explicit deny wins, and what
 * nothing allows is denied. Source: IAM user guide, policy evaluation logic.
 */
import type { PolicyStatement } from '../../assembly/roles.ts';
import { compileCondition, type RequestContext, wildcard } from './conditions.ts';

type Decision = 'allowed' | 'not allowed' | 'explicitly denied';

/** Decides on an action (`dynamodb:GetItem`), the ARN of what it touches, and what conditions may ask for. */
export type IamPolicy = (action: string, resource: string, context?: RequestContext) => Decision;

interface Matcher {
  readonly effect: 'Allow' | 'Deny';
  matches(action: string, resource: string, context: RequestContext): boolean;
}

/** Prepares statements; throws an error on an element that it would have to guess about. */
export function compilePolicy(statements: readonly PolicyStatement[]): IamPolicy {
  const matchers = statements.map(compileStatement);
  const decided = new Map<string, Decision>();
  const decide = (action: string, resource: string, context: RequestContext): Decision => {
    const effects = matchers
      .filter((statement) => statement.matches(action, resource, context))
      .map(({ effect }) => effect);
    if (effects.includes('Deny')) return 'explicitly denied';
    return effects.includes('Allow') ? 'allowed' : 'not allowed';
  };
  return (action, resource, context = {}) => {
    const key = JSON.stringify([action, resource, context]);
    const cached = decided.get(key);
    if (cached !== undefined) return cached;
    const decision = decide(action, resource, context);
    // Resources of an account are few; a caller that invents names must not fill the memory.
    if (decided.size < 1000) decided.set(key, decision);
    return decision;
  };
}

function compileStatement(statement: PolicyStatement): Matcher {
  const holds = compileCondition(statement.Condition);
  const { Action, NotAction, Resource, NotResource } = statement;
  if ((Action ?? NotAction) === undefined || (Resource ?? NotResource) === undefined) {
    throw new Error(`an IAM statement needs an action and a resource: ${JSON.stringify(statement)}`);
  }
  const actions = wildcards(Action ?? NotAction, 'i');
  const resources = wildcards(Resource ?? NotResource);
  const [wantAction, wantResource] = [Action !== undefined, Resource !== undefined];
  return {
    effect: statement.Effect,
    matches: (action, resource, context) =>
      actions.some((pattern) => pattern.test(action)) === wantAction &&
      resources.some((pattern) => pattern.test(resource)) === wantResource &&
      holds(context),
  };
}

/** Actions ignore case, resources do not. */
function wildcards(patterns: string | readonly string[] | undefined, flags = ''): readonly RegExp[] {
  return [patterns ?? []].flat().map((pattern) => {
    if (pattern.includes('${'))
      throw new Error(`the local runtime knows no IAM policy variables, but a policy has ${pattern}`);
    return wildcard(pattern, flags);
  });
}
