/** What every webhook endpoint begins with: whose key it is, and that the request counts against it. */
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

/** For what is not there and for what is another account's: a caller cannot tell them apart. */
export const noSuch = (
  thing: 'webhook' | 'delivery',
  headers: Readonly<Record<string, string>>,
): ServiceError => new ServiceError('not_found', `There is no such ${thing} in this account.`, { headers });
