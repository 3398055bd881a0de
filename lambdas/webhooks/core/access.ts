/** The first step of every webhook endpoint: the caller is an API key, which the request counts against, or the account's owner. */
import { authenticate, type Peppers } from '../../access/core/api-key.ts';
import type { KeyGate } from '../../access/core/key-gate.ts';
import { carriesSession, readSession, type Sessions } from '../../access/core/session.ts';
import { ServiceError } from '../../platform/core/errors.ts';
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
  /** The key's rate limits, for every answer; none for a session, which has no such limits. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Throws 401 or 429, or what `read` throws; a request that cannot be read counts against the key all the same. With a
 * session nothing is counted, and nothing of the request is read before the session is known to be live. An `X-API-Key`
 * beside a session is what counts, as it does wherever a key is taken.
 */
export async function admit<T>(
  { peppers, gate, sessions }: WebhookAccess,
  request: Request,
  read: (request: Request) => Promise<T>,
): Promise<Caller<T>> {
  if (carriesSession(request.headers) && !request.headers.has('x-api-key')) {
    const { accountId } = await readSession(request.headers, sessions);
    return { accountId, input: await read(request), headers: {} };
  }
  const key = authenticate(request.headers, await peppers());
  const input = await gate.checked(key, () => read(request));
  const { headers } = await gate.touch(key);
  return { accountId: key.accountId, input, headers };
}

export interface SubscriptionAccess extends WebhookAccess {
  readonly subscriptions: Pick<SubscriptionStore, 'get'>;
}

/** As `admit`, and finds the account's subscription of that id. Throws 404 too. */
export async function admitTo<T>(
  access: SubscriptionAccess,
  request: Request,
  id: string,
  read: (request: Request) => Promise<T>,
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
  thing: 'webhook' | 'delivery',
  headers: Readonly<Record<string, string>>,
): ServiceError =>
  new ServiceError('not_found', `No ${thing} with this id belongs to your account.`, { headers });
