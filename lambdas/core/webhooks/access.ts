/** The first step of every webhook endpoint: authenticates the key and counts the request against its limits. */
import { authenticate, type Peppers } from '../access/api-key.ts';
import { ServiceError } from '../errors.ts';
import type { KeyGate } from '../ledger/key-gate.ts';
import type { SubscriptionStore } from './ports.ts';
import type { Subscription } from './subscription.ts';

export interface WebhookAccess {
  readonly peppers: () => Promise<Peppers>;
  readonly gate: KeyGate;
}

export interface Caller<T> {
  readonly accountId: string;
  /** The request, as `read` returned it. */
  readonly input: T;
  /** Rate limits, for every answer. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Throws 401 or 429, or what `read` throws; a request that cannot be read counts against the key all the same. */
export async function admit<T>(
  { peppers, gate }: WebhookAccess,
  request: Request,
  read: (request: Request) => Promise<T>,
): Promise<Caller<T>> {
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
