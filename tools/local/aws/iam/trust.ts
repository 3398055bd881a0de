/**
 * The services that may assume a role, and the sources for which they act (IAM user guide, cross-service confused
 * deputy prevention).
 */
import { ACCOUNT_ID } from '../../assembly/intrinsics.ts';
import type { RoleDescription, TrustStatement } from '../../assembly/roles.ts';
import { compileCondition, type RequestContext } from './conditions.ts';

/** A service that would act in a role. */
export interface RolePrincipal {
  /** Its principal, such as `scheduler.amazonaws.com`. */
  readonly service: string;
  /** The source for which the service acts: a function, a rule, a state machine or a schedule group. */
  readonly sourceArn: string;
}

/** Services whose calls of STS do not name what they act for, as far as their documentation says. */
const SILENT: readonly string[] = ['lambda.amazonaws.com'];

/**
 * Returns whether the role's trust policy allows the service to assume the role; throws if the policy's form is
 * unknown.
 */
export function mayTake(
  { trust }: Pick<RoleDescription, 'trust'>,
  { service, sourceArn }: RolePrincipal,
): boolean {
  const context: RequestContext = SILENT.includes(service)
    ? {}
    : { 'aws:SourceAccount': ACCOUNT_ID, 'aws:SourceArn': sourceArn };
  return trust
    .filter((statement) => namesService(statement, service))
    .some(({ Condition }) => compileCondition(Condition)(context));
}

function namesService({ Effect, Action, Principal }: TrustStatement, service: string): boolean {
  if (Effect !== 'Allow' || Action !== 'sts:AssumeRole')
    throw new Error(`the local runtime does not know the trust policy ${JSON.stringify({ Effect, Action })}`);
  return [Principal?.Service ?? []].flat().includes(service);
}
