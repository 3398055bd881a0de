/** The owner's session: who has signed in, proved by a token that the service itself has signed. */
import { ServiceError } from '../errors.ts';
import { bearerToken } from './bearer.ts';

export interface SessionTokens {
  issue(accountId: string, ttlSeconds: number): Promise<string>;
  /** The account that a token stands for; undefined when it is not genuine or has ended. */
  verify(token: string): Promise<string | undefined>;
}

/** Long enough for an hour's work in a console; there is no way to end a session early but to rotate its key. */
export const SESSION_SECONDS = 60 * 60;

/** Whether a request comes with a session rather than with an API key: a token of three parts (RFC 7515, section 7.1). */
export const carriesSession = (headers: Headers): boolean =>
  bearerToken(headers.get('authorization') ?? '')?.split('.').length === 3;

/** The account whose session a request carries. Throws 401 `missing_session` or `invalid_session`. */
export async function authenticateSession(headers: Headers, tokens: SessionTokens): Promise<string> {
  const authorization = headers.get('authorization');
  if (authorization === null) {
    throw new ServiceError(
      'missing_session',
      'Sign in, and send the session as "Authorization: Bearer <access_token>".',
    );
  }
  const token = bearerToken(authorization);
  const accountId = token === undefined ? undefined : await tokens.verify(token);
  if (accountId === undefined) throw invalidSession();
  return accountId;
}

export const invalidSession = (): ServiceError =>
  new ServiceError('invalid_session', 'The session is not valid, or it has ended: sign in again.');
