/**
 * Sessions of signed-in people. A session is a token that the service has signed, valid while it is among the account's
 * live sessions. It belongs to either the account's owner or an operator, and is never valid for both.
 */
import { ServiceError } from '../../../platform/core/errors.ts';
import type {
  CallContext,
  Clock,
  HttpRequest,
  StreamedResponse,
  TextResponse,
  UlidSource,
} from '../../../platform/core/ports.ts';
import { bearerToken, isKeyToken, isSessionToken } from '../keys/api-key.ts';
import { cookieToken, type SessionRole } from './session-cookie.ts';

export interface Session {
  /** `ses_<ulid>`. */
  readonly id: string;
  readonly accountId: string;
  /** Seconds since the epoch. */
  readonly expires: number;
  /**
   * The time at which the owner signed in, in seconds since the epoch. A renewed session retains it (OpenID Connect
   * Core 1.0, section 2).
   */
  readonly authTime: number;
  readonly role: SessionRole;
}

export interface SessionTokens {
  sign(session: Session): Promise<string>;
  /** Returns the session of a token, or undefined if the token is not genuine or has expired. */
  read(token: string): Promise<Session | undefined>;
}

export interface SessionStore {
  /**
   * Adds a session to the live ones. If there are already `maxSessions`, returns the seconds until the first of them ends. A
   * session with a `previous` is added in the same write that checks that `previous` is live; otherwise returns
   * `ended`.
   */
  start(
    session: Session,
    maxSessions: number,
    nowSeconds: number,
    previous?: Session,
  ): Promise<'started' | 'ended' | number>;
  /**
   * Returns whether the session was started and has not ended. A session is never live after the call that ended it has
   * returned.
   */
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
  /** The maximum number of live sessions of an account. */
  readonly maxSessions: number;
}

/** Long enough for an hour's work in a console. An operator's session may last no longer. */
export const SESSION_SECONDS = 60 * 60;

/** The longest that any session may last: one that an operator issues, and all that follow one sign-in together. */
export const LONGEST_SESSION_SECONDS = 24 * 60 * 60;

export interface RenewedSession {
  readonly token: string;
  readonly expiresInSeconds: number;
  /** The end of the last session that may follow the sign-in, seconds since the epoch. */
  readonly signedInUntil: number;
}

export class Sessions {
  readonly #dependencies: SessionDependencies;

  constructor(dependencies: SessionDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Starts a session and returns its token. Throws 429 `session_quota` if the account has reached its maximum of live
   * sessions.
   */
  async start(accountId: string, ttlSeconds: number, role: SessionRole = 'owner'): Promise<string> {
    const longest = role === 'operator' ? SESSION_SECONDS : LONGEST_SESSION_SECONDS;
    if (ttlSeconds > longest) throw new Error('no session lasts so long');
    const { tokens, ulid } = this.#dependencies;
    const authTime = this.#nowSeconds();
    const expires = authTime + ttlSeconds;
    const session: Session = { id: `ses_${ulid()}`, accountId, expires, authTime, role };
    await this.#enter(session, authTime);
    return tokens.sign(session);
  }

  /**
   * Starts a session that replaces a live one, and ends the latter. Throws 401 `invalid_session` if the day since the
   * sign-in is over, the session has ended meanwhile, or it is an operator's. If this is interrupted between the two
   * writes, both sessions stay live until they expire.
   */
  async renew(previous: Session): Promise<RenewedSession> {
    const { tokens, store, ulid } = this.#dependencies;
    const { accountId, authTime, role } = previous;
    if (role === 'operator') throw invalidSession();
    const nowSeconds = this.#nowSeconds();
    const signedInUntil = authTime + LONGEST_SESSION_SECONDS;
    const expires = Math.min(nowSeconds + SESSION_SECONDS, signedInUntil);
    if (expires <= nowSeconds) throw invalidSession();
    const next = { id: `ses_${ulid()}`, accountId, expires, authTime, role };
    await this.#enter(next, nowSeconds, previous);
    const token = await tokens.sign(next);
    await store.end(previous);
    return { token, expiresInSeconds: expires - nowSeconds, signedInUntil };
  }

  /** Returns the live session of a token, or undefined. */
  async verify(token: string): Promise<Session | undefined> {
    const { tokens, store } = this.#dependencies;
    const session = await tokens.read(token);
    return session !== undefined && (await store.isLive(session)) ? session : undefined;
  }

  /** Ends a session, or all of its account's: no later call is accepted with them. */
  end(session: Session, everywhere: boolean): Promise<void> {
    const { store } = this.#dependencies;
    return everywhere ? store.endAll(session.accountId) : store.end(session);
  }

  /** One that follows another takes its place, but for a moment there are both. */
  async #enter(session: Session, nowSeconds: number, previous?: Session): Promise<void> {
    const { store, maxSessions } = this.#dependencies;
    const result = await store.start(
      session,
      previous === undefined ? maxSessions : maxSessions + 1,
      nowSeconds,
      previous,
    );
    if (result === 'started') return;
    if (result === 'ended') throw invalidSession();
    const message = `An account may have at most ${maxSessions} sessions at once: sign out of one, or wait until one ends.`;
    throw new ServiceError('session_quota', message, { retryAfterSeconds: result });
  }

  #nowSeconds(): number {
    return Math.floor(this.#dependencies.clock() / 1000);
  }
}

/**
 * Returns whether a request has a session rather than an API key: a token of its form, or the cookie of the console.
 */
export function hasSession(headers: Pick<Headers, 'get'>): boolean {
  const authorization = headers.get('authorization');
  if (authorization === null) return cookieToken(headers) !== undefined;
  const token = bearerToken(authorization);
  return token !== undefined && isSessionToken(token);
}

/**
 * Returns the live session of that role from a request. Throws 401 `missing_session`, or `invalid_session` for any
 * other.
 */
export async function readSession(
  headers: Pick<Headers, 'get'>,
  sessions: Pick<Sessions, 'verify'>,
  role: SessionRole = 'owner',
): Promise<Session> {
  const authorization = headers.get('authorization');
  const token = authorization === null ? cookieToken(headers, role) : (bearerToken(authorization) ?? '');
  if (token === undefined) {
    const message = 'Sign in, and send the session as "Authorization: Bearer <access_token>".';
    throw new ServiceError('missing_session', message);
  }
  if (isKeyToken(token)) {
    const message = 'An API key was sent where a session is needed: sign in, and send its access_token.';
    throw new ServiceError('invalid_session', message);
  }
  const session = token === '' ? undefined : await sessions.verify(token);
  if (session?.role !== role) throw invalidSession();
  return session;
}

/** An endpoint that runs only with a live session of the role that its route takes. */
export type SessionEndpoint<R = TextResponse> = (
  request: HttpRequest,
  context: CallContext & { readonly session: Session },
) => Promise<R>;

/** Reads the owner's session before anything else of the request; throws as `readSession`. */
export const withSession =
  <R extends TextResponse | StreamedResponse>(
    sessions: Pick<Sessions, 'verify'>,
    endpoint: SessionEndpoint<R>,
  ): ((request: HttpRequest, context: CallContext) => Promise<R>) =>
  async (request, context) =>
    endpoint(request, { ...context, session: await readSession(request.headers, sessions) });

export const invalidSession = (): ServiceError =>
  new ServiceError('invalid_session', 'The session is not valid, or it has ended: sign in again.');
