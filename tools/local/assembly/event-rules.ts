/** Describes the event buses of an assembly and the rules that pass their events on to queues. */
import type { LocatedResource, Stacks } from './stacks.ts';

/** Fields and the values that each may have, nested like the event (EventBridge user guide, event patterns). */
export interface EventPattern {
  readonly [field: string]: readonly (string | number | boolean | null)[] | EventPattern;
}

export interface EventRule {
  readonly name: string;
  readonly busName: string;
  readonly pattern: EventPattern;
  readonly queueArns: readonly string[];
  /** Functions that EventBridge invokes, asynchronously. */
  readonly functionArns: readonly string[];
}

export interface EventBusDescription {
  readonly name: string;
  readonly arn: string;
}

interface RuleProperties {
  readonly EventBusName?: string;
  readonly EventPattern?: EventPattern;
  readonly State?: string;
  readonly Targets?: readonly { readonly Arn: string }[];
}

interface QueuePolicyProperties {
  readonly Queues: readonly string[];
  readonly PolicyDocument: { readonly Statement: readonly PolicyStatement[] };
}

/** Lambda developer guide, resource-based policies. */
interface PermissionProperties {
  readonly FunctionName: string;
  readonly Principal: string;
  readonly SourceArn?: string;
}

const lets = (
  { FunctionName, Principal, SourceArn }: PermissionProperties,
  functionArn: string,
  ruleArn: string,
): boolean => FunctionName === functionArn && Principal === 'events.amazonaws.com' && SourceArn === ruleArn;

interface PolicyStatement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Principal: { readonly Service?: string } | string;
  readonly Condition?: { readonly ArnEquals?: Readonly<Record<string, string>> };
}

export function describeBuses(stacks: Stacks): readonly EventBusDescription[] {
  return stacks.resources('AWS::Events::EventBus').map(({ identity, arn }) => ({ name: identity.ref, arn }));
}

/** Every rule with a pattern; throws when a queue's own policy does not let the rule send to it. */
export function describeEventRules(stacks: Stacks): readonly EventRule[] {
  const queues = stacks.resources('AWS::SQS::Queue');
  const policies = stacks
    .resources('AWS::SQS::QueuePolicy')
    .map((policy) => policy.properties<QueuePolicyProperties>());
  const permissions = stacks
    .resources('AWS::Lambda::Permission')
    .map((permission) => permission.properties<PermissionProperties>());
  return stacks.resources('AWS::Events::Rule').flatMap((resource) => {
    const {
      EventPattern: pattern,
      EventBusName: bus,
      State,
      Targets = [],
    } = resource.properties<RuleProperties>();
    if (pattern === undefined || State === 'DISABLED') return [];
    requireKnown(pattern, resource.location);
    // A topic notifies people, of whom the local service has none.
    const arns = Targets.map(({ Arn: arn }) => arn).filter((arn) => !arn.startsWith('arn:aws:sns:'));
    const functionArns = arns.filter((arn) => permissions.some((each) => lets(each, arn, resource.arn)));
    const queueArns = arns.filter((arn) => !functionArns.includes(arn));
    for (const arn of queueArns) requireAdmission(queues, policies, resource, arn);
    return { name: resource.identity.ref, busName: bus ?? 'default', pattern, queueArns, functionArns };
  });
}

function requireKnown(pattern: EventPattern, location: string): void {
  for (const condition of Object.values(pattern)) {
    if (!Array.isArray(condition)) requireKnown(condition as EventPattern, location);
    else if (condition.some((value) => typeof value === 'object' && value !== null))
      throw new Error(
        `${location}: the local runtime matches literal values only, not ${JSON.stringify(condition)}`,
      );
  }
}

function requireAdmission(
  queues: readonly LocatedResource[],
  policies: readonly QueuePolicyProperties[],
  rule: LocatedResource,
  queueArn: string,
): void {
  const queue = queues.find(({ arn }) => arn === queueArn);
  const admitted = policies
    .filter(({ Queues }) => Queues.includes(queue?.identity.ref ?? ''))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .some((statement) => admits(statement, rule.arn));
  if (!admitted) throw new Error(`${rule.location}: the policy of ${queueArn} does not let it send`);
}

function admits({ Effect, Action, Principal, Condition }: PolicyStatement, ruleArn: string): boolean {
  const service = typeof Principal === 'string' ? undefined : Principal.Service;
  return (
    Effect === 'Allow' &&
    [Action].flat().includes('sqs:SendMessage') &&
    service === 'events.amazonaws.com' &&
    (Condition === undefined || Condition.ArnEquals?.['aws:SourceArn'] === ruleArn)
  );
}

/** Returns whether the rule matches an event. */
export function matches(pattern: EventPattern, event: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(pattern).every(([field, condition]) => {
    const value = event[field];
    if (!Array.isArray(condition))
      return typeof value === 'object' && value !== null && matches(condition as EventPattern, { ...value });
    return [value].flat().some((one) => (condition as readonly unknown[]).includes(one));
  });
}
