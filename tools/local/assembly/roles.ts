/** Collects the IAM statements of the roles that act from every place a template can put them. */
import type { LocatedResource, Stacks } from './stacks.ts';

/** IAM user guide, JSON policy elements. */
export interface PolicyStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action?: string | readonly string[];
  readonly NotAction?: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly NotResource?: string | readonly string[];
  readonly Condition?: unknown;
}

/** A statement of the policy that says who may take a role. */
export interface TrustStatement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Principal?: { readonly Service?: string | readonly string[] };
  readonly Condition?: unknown;
}

export interface RoleDescription {
  readonly name: string;
  readonly arn: string;
  readonly trust: readonly TrustStatement[];
  readonly statements: readonly PolicyStatement[];
}

interface PolicyDocument {
  readonly Statement: PolicyStatement | readonly PolicyStatement[];
}

interface RoleProperties {
  readonly AssumeRolePolicyDocument?: { readonly Statement: readonly TrustStatement[] };
  readonly Policies?: readonly { readonly PolicyDocument: PolicyDocument }[];
  readonly ManagedPolicyArns?: readonly string[];
}

interface AttachedPolicyProperties {
  readonly PolicyDocument: PolicyDocument;
  readonly Roles?: readonly string[];
}

/** AWS managed policies that function roles use (AWS managed policy reference), by the end of their ARN. */
const MANAGED_POLICIES: Readonly<Record<string, PolicyStatement>> = {
  'service-role/AWSLambdaBasicExecutionRole': {
    Effect: 'Allow',
    Action: ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'],
    Resource: '*',
  },
};

/** The roles with these ARNs; throws an error that names a managed policy it does not know. */
export function describeRoles(stacks: Stacks, roleArns: readonly string[]): readonly RoleDescription[] {
  const requiredArns = new Set(roleArns);
  const attached = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
    stacks.resources(type).map((resource) => resource.properties<AttachedPolicyProperties>()),
  );
  const roles = stacks.resources('AWS::IAM::Role').filter(({ arn }) => requiredArns.has(arn));
  const descriptions = roles.map((role) => describeRole(role, attached));
  const missing = [...requiredArns].find((arn) => !descriptions.some((role) => role.arn === arn));
  if (missing !== undefined) throw new Error(`no stack defines the role ${missing}`);
  return descriptions;
}

/** ARNs of the roles that a service may take. */
export function rolesOfService(stacks: Stacks, service: string): readonly string[] {
  return stacks
    .resources('AWS::IAM::Role')
    .filter((role) =>
      role
        .properties<RoleProperties>()
        .AssumeRolePolicyDocument?.Statement.some(({ Principal }) =>
          [Principal?.Service ?? []].flat().includes(service),
        ),
    )
    .map(({ arn }) => arn);
}

function describeRole(role: LocatedResource, attached: readonly AttachedPolicyProperties[]): RoleDescription {
  const properties = role.properties<RoleProperties>();
  const name = role.identity.ref;
  const documents = [
    ...(properties.Policies ?? []).map(({ PolicyDocument }) => PolicyDocument),
    ...attached.filter(({ Roles }) => Roles?.includes(name)).map(({ PolicyDocument }) => PolicyDocument),
  ];
  return {
    name,
    arn: role.arn,
    trust: properties.AssumeRolePolicyDocument?.Statement ?? [],
    statements: [
      ...documents.flatMap(({ Statement }) => Statement),
      ...(properties.ManagedPolicyArns ?? []).map(managed),
    ],
  };
}

function managed(arn: string): PolicyStatement {
  const statement = MANAGED_POLICIES[arn.slice(arn.indexOf(':policy/') + ':policy/'.length)];
  if (statement === undefined) throw new Error(`the local runtime does not know the managed policy ${arn}`);
  return statement;
}
