/** The first step of every webhook endpoint: authenticates the key and counts the request against its limits. */
import { authenticate, type Peppers } from '../access/api-key.ts';
import { ServiceError } from '../errors.ts';
import type { KeyGate } from '../ledger/key-gate.ts';

export interface WebhookAccess {
  readonly peppers: () => Promise<Peppers>;
  readonly gate: KeyGate;
}

export interface Caller<T> {
  readonly accountId: string;
  /** The request, as `check` has read it. */
  readonly input: T;
  /** Rate limits, for every answer. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Throws 401 or 429, or what `check` throws; a request that fails its check counts against the key all the same. */
export async function admit<T>(
  { peppers, gate }: WebhookAccess,
  request: Request,
  check: () => Promise<T>,
): Promise<Caller<T>> {
  const key = authenticate(request.headers, await peppers());
  const input = await gate.checked(key, check);
  const { headers } = await gate.touch(key);
  return { accountId: key.accountId, input, headers };
}

/** The same for what does not exist and for what belongs to another account. */
export const notFound = (
  thing: 'webhook' | 'delivery',
  headers: Readonly<Record<string, string>>,
): ServiceError =>
  new ServiceError('not_found', `No ${thing} with this id belongs to your account.`, { headers });
