/** The first step of endpoints for an API key, which the request counts against, or for the account's owner. */
import { authenticate, type Peppers } from '../../access/core/keys/api-key.ts';
import type { KeyGate } from '../../access/core/keys/key-gate.ts';
import type { Policy } from '../../access/core/keys/policy.ts';
import { hasSession, readSession, type Sessions } from '../../access/core/sessions/session.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import type { HttpRequest } from '../../platform/core/ports.ts';
import type { SubscriptionStore } from './ports.ts';
import type { Subscription } from './subscription.ts';

export interface WebhookAccess {
  readonly peppers: () => Promise<Peppers>;
  readonly gate: KeyGate;
  readonly sessions: Pick<Sessions, 'verify'>;
}

export interface Caller<T> {
  readonly accountId: string;
  /** The request, as `read` returned it. */
  readonly input: T;
  /** The key's rate limits, for every response; empty for a session, which has no such limits. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for a session. */
  readonly policy?: Policy;
}

/**
 * Throws 401 or 429, or the error of `read`; an unreadable request still counts against the key. A session counts
 * nothing, and the request is read only after the session is verified as live. An `X-API-Key` next to a session counts,
 * as for every endpoint that accepts a key.
 */
export async function admitAny<T>(
  { peppers, gate, sessions }: WebhookAccess,
  request: HttpRequest,
  read: (request: HttpRequest) => Promise<T>,
): Promise<Caller<T>> {
  if (hasSession(request.headers) && !request.headers.has('x-api-key')) {
    const { accountId } = await readSession(request.headers, sessions);
    return { accountId, input: await read(request), headers: {} };
  }
  const key = authenticate(request.headers, await peppers());
  const input = await gate.checked(key, () => read(request));
  const { state, headers } = await gate.touch(key);
  return { accountId: key.accountId, input, headers, policy: state.policy };
}

/**
 * Admits to the webhooks of an account: like `admitAny`, but throws 403 `kind_not_allowed` for a key that allows no kind
 * of call. Such a key is for programs of others, and who changes a webhook reads the account's events.
 */
export async function admit<T>(...args: Parameters<typeof admitAny<T>>): Promise<Caller<T>> {
  const caller = await admitAny(...args);
  if (caller.policy?.allowed_kinds?.length !== 0) return caller;
  const message = 'This API key allows no calls, and manages no webhooks: use another key, or a session.';
  throw new ServiceError('kind_not_allowed', message, { headers: caller.headers });
}

export interface SubscriptionAccess extends WebhookAccess {
  readonly subscriptions: Pick<SubscriptionStore, 'get'>;
}

/** Admits like `admit`, and returns the account's subscription of that id. Also throws 404. */
export async function admitTo<T>(
  access: SubscriptionAccess,
  request: HttpRequest,
  id: string,
  read: (request: HttpRequest) => Promise<T>,
): Promise<Caller<T> & { readonly subscription: Subscription }> {
  const caller = await admit(access, request, read);
  const subscription = await access.subscriptions.get({ accountId: caller.accountId, id });
  if (subscription === undefined) throw notFound('webhook', caller.headers);
  return { ...caller, subscription };
}

/** For a request without input. */
export const nothing = async (): Promise<void> => {};

/** The same for what does not exist and for what belongs to another account. */
export const notFound = (
  resource: 'webhook' | 'delivery',
  headers: Readonly<Record<string, string>>,
): ServiceError =>
  new ServiceError('not_found', `No ${resource} with this id belongs to your account.`, { headers });
