/**
 * Access to the operator's view: for an account that an operator's command has marked, in a separate kind of session.
 */

import { ServiceError } from '../../../platform/core/errors.ts';
import type { Endpoint } from '../../../platform/core/ports.ts';
import type { Account } from '../accounts/accounts.ts';
import { readSession, type SessionEndpoint, type Sessions } from './session.ts';

export interface OperatorAccess {
  readonly sessions: Pick<Sessions, 'verify'>;
  /** The account as the last write left it. */
  readonly findAccount: (accountId: string) => Promise<Account | undefined>;
}

/** Returns the account if it is marked as an operator's. Throws 403 `operator_only`. */
export function requireOperator(account: Account | undefined): Account {
  if (account?.operatorSince !== undefined) return account;
  throw new ServiceError('operator_only', 'This account is not an operator of the service.');
}

/**
 * Verifies an operator's session, and that its account is still marked, before it reads the rest of the request. A
 * removed operator is therefore rejected from the next request on. Throws 401 `missing_session` or `invalid_session`,
 * 403 `operator_only`.
 */
export const withOperator =
  ({ sessions, findAccount }: OperatorAccess, endpoint: SessionEndpoint): Endpoint =>
  async (request, context) => {
    const session = await readSession(request.headers, sessions, 'operator');
    requireOperator(await findAccount(session.accountId));
    const response = await endpoint(request, { ...context, session });
    // The response contains other people's addresses and amounts.
    return { ...response, headers: { ...response.headers, 'cache-control': 'no-store' } };
  };
