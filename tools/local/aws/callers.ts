/** Knows who calls: each function signs with an access key id of its own, which stands for its role. */
import type { FunctionDescription } from '../assembly/functions.ts';
import { ACCOUNT_ID, PARTITION } from '../assembly/intrinsics.ts';
import type { RoleDescription } from '../assembly/roles.ts';
import { AwsError } from './errors.ts';
import type { RequestContext } from './iam/conditions.ts';
import { compilePolicy } from './iam/policy.ts';
import { mayTake, type RolePrincipal } from './iam/trust.ts';

/** May do everything: the operator's own tools. */
const ADMINISTRATOR_ACCESS_KEY_ID = 'local-admin';

/** Throws `AccessDeniedException` unless the caller may do `action` to the resource with that ARN, under the request's conditions. */
export type Authorize = (action: string, resourceArn: string, context?: RequestContext) => void;

/** The access key id that a function signs its calls with. */
export function accessKeyIdOf(description: Pick<FunctionDescription, 'name'>): string {
  return `local-${description.name}`;
}

export interface CallerOptions {
  readonly functions: readonly Pick<FunctionDescription, 'name' | 'roleArn'>[];
  /** The programs that act with the grants of several roles, and no others. */
  readonly hosts?: readonly {
    readonly name: string;
    readonly roleArns: readonly string[];
    /** Permissions in addition to those of the roles. */
    readonly statements: RoleDescription['statements'];
  }[];
  readonly roles: readonly Omit<RoleDescription, 'trust'>[];
  /** False: everybody may do everything. */
  readonly enforce: boolean;
  readonly log: (line: string) => void;
}

/**
 * Returns a lookup by access key id; it throws `UnrecognizedClientException` on an unknown one. Signatures are not
 * verified: the endpoint listens on loopback only, and the id says which role to act in.
 */
export function createCallers(options: CallerOptions): (accessKeyId: string | undefined) => Authorize {
  const callers = new Map<string, Authorize>([[ADMINISTRATOR_ACCESS_KEY_ID, () => {}]]);
  for (const description of options.functions) {
    const role = options.roles.find(({ arn }) => arn === description.roleArn);
    if (role === undefined) throw new Error(`function ${description.name} has no role`);
    callers.set(accessKeyIdOf(description), authorizeAs(role, description.name, options.log));
  }
  for (const { name, roleArns, statements: own } of options.hosts ?? []) {
    const roles = options.roles.filter(({ arn }) => roleArns.includes(arn));
    const statements = [...own, ...roles.flatMap((role) => role.statements)];
    callers.set(accessKeyIdOf({ name }), authorizeAs({ name, statements }, name, options.log));
  }
  return (accessKeyId) => {
    if (!options.enforce) return () => {};
    const caller = callers.get(accessKeyId ?? '');
    if (caller !== undefined) return caller;
    throw new AwsError(
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
    );
  };
}

export interface RoleOptions {
  readonly assembly: { readonly roles: readonly RoleDescription[] };
  readonly enforceIam: boolean;
  readonly log: (line: string) => void;
}

/**
 * Lets a service take the role with that ARN and act in it under a session's name. Throws when no stack defines the role,
 * and `AccessDeniedException` when the role does not trust the service for what it acts for.
 */
export function authorizeRole(
  { assembly, enforceIam, log }: RoleOptions,
  roleArn: string,
  session: string,
  principal: RolePrincipal,
): Authorize {
  if (!enforceIam) return () => {};
  const role = assembly.roles.find(({ arn }) => arn === roleArn);
  if (role === undefined) throw new Error(`no stack defines the role ${roleArn}`);
  if (!mayTake(role, principal)) {
    const message = `${principal.service} is not authorized to perform: sts:AssumeRole on resource: ${roleArn} for ${principal.sourceArn}`;
    log(`IAM denied: ${message}`);
    throw new AwsError('AccessDeniedException', message);
  }
  return authorizeAs(role, session, log);
}

/** Lets a role act under a session's name. The message is AWS's own (IAM user guide, troubleshooting access denied errors). */
function authorizeAs(
  role: Pick<RoleDescription, 'name' | 'statements'>,
  session: string,
  log: (line: string) => void,
): Authorize {
  const policy = compilePolicy(role.statements);
  const user = `arn:${PARTITION}:sts::${ACCOUNT_ID}:assumed-role/${role.name}/${session}`;
  return (action, resourceArn, context) => {
    const decision = policy(action, resourceArn, context);
    if (decision === 'allowed') return;
    const reason =
      decision === 'explicitly denied'
        ? 'with an explicit deny in an identity-based policy'
        : `because no identity-based policy allows the ${action} action`;
    const message = `User: ${user} is not authorized to perform: ${action} on resource: ${resourceArn} ${reason}`;
    log(`IAM denied: ${message}`);
    throw new AwsError('AccessDeniedException', message);
  };
}
