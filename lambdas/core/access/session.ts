/**
 * The owner's session: who has signed in, proved by a token that the service itself has signed, while the service still
 * has it among the account's live ones.
 */
import { ServiceError } from '../errors.ts';
import type { CallContext, Clock, Endpoint, UlidSource } from '../ports.ts';
import { bearerToken } from './bearer.ts';

export interface Session {
  /** `ses_<ulid>`. */
  readonly id: string;
  readonly accountId: string;
  /** Seconds since the epoch. */
  readonly expires: number;
}

export interface SessionTokens {
  sign(session: Session): Promise<string>;
  /** The session that a token was made for; undefined when it is not genuine or its time is over. */
  read(token: string): Promise<Session | undefined>;
}

export interface SessionStore {
  /** Enters a session among the live ones; when there are `most`, the seconds until the first of them ends. */
  begin(session: Session, most: number, nowSeconds: number): Promise<'begun' | number>;
  /** Whether it was begun and not ended; what a call ended that was answered before is never live. */
  isLive(session: Session): Promise<boolean>;
  end(session: Session): Promise<void>;
  /** Ends all of an account's, in one write. */
  endAll(accountId: string): Promise<void>;
}

export interface SessionDependencies {
  readonly tokens: SessionTokens;
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ulid: UlidSource;
  /** How many live ones an account may have. */
  readonly most: number;
}

/** Long enough for an hour's work in a console. */
export const SESSION_SECONDS = 60 * 60;

/** The longest that any session may last: the operator's own. */
export const LONGEST_SESSION_SECONDS = 24 * 60 * 60;

export class Sessions {
  readonly #dependencies: SessionDependencies;

  constructor(dependencies: SessionDependencies) {
    this.#dependencies = dependencies;
  }

  /** Begins a session; its token. Throws 429 `session_quota` when the account has as many live ones as it may. */
  async begin(accountId: string, ttlSeconds: number): Promise<string> {
    if (ttlSeconds > LONGEST_SESSION_SECONDS) throw new Error('no session lasts so long');
    const { tokens, store, clock, ulid, most } = this.#dependencies;
    const nowSeconds = Math.floor(clock() / 1000);
    const session = { id: `ses_${ulid()}`, accountId, expires: nowSeconds + ttlSeconds };
    const begun = await store.begin(session, most, nowSeconds);
    if (begun !== 'begun') {
      const message = `An account may have at most ${most} sessions at once: sign out of one, or wait until one ends.`;
      throw new ServiceError('session_quota', message, { retryAfterSeconds: begun });
    }
    return tokens.sign(session);
  }

  /** The live session that a token was made for; undefined for any other. */
  async verify(token: string): Promise<Session | undefined> {
    const { tokens, store } = this.#dependencies;
    const session = await tokens.read(token);
    return session !== undefined && (await store.isLive(session)) ? session : undefined;
  }

  /** Ends a session, or all of its account's: no call that begins afterwards gets by with them. */
  end(session: Session, everywhere: boolean): Promise<void> {
    const { store } = this.#dependencies;
    return everywhere ? store.endAll(session.accountId) : store.end(session);
  }
}

/** Whether a request comes with a session rather than with an API key: a token of three parts (RFC 7515, section 7.1). */
export const carriesSession = (headers: Headers): boolean =>
  bearerToken(headers.get('authorization') ?? '')?.split('.').length === 3;

/** The live session that a request carries. Throws 401 `missing_session` or `invalid_session`. */
export async function readSession(headers: Headers, sessions: Pick<Sessions, 'verify'>): Promise<Session> {
  const authorization = headers.get('authorization');
  if (authorization === null) {
    throw new ServiceError(
      'missing_session',
      'Sign in, and send the session as "Authorization: Bearer <access_token>".',
    );
  }
  const token = bearerToken(authorization);
  const session = token === undefined ? undefined : await sessions.verify(token);
  if (session === undefined) throw invalidSession();
  return session;
}

/** An endpoint that runs only with a live session. */
export type SessionEndpoint = (
  request: Request,
  context: CallContext & { readonly session: Session },
) => Promise<Response>;

/** Reads the session before anything else of the request; throws as `readSession`. */
export const withSession =
  (sessions: Pick<Sessions, 'verify'>, endpoint: SessionEndpoint): Endpoint =>
  async (request, context) =>
    endpoint(request, { ...context, session: await readSession(request.headers, sessions) });

export const invalidSession = (): ServiceError =>
  new ServiceError('invalid_session', 'The session is not valid, or it has ended: sign in again.');
