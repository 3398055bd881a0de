/** The rights of Stripe's keys (Stripe documentation, Restricted API keys). */
import { SandboxError } from './errors.ts';

/** Rights by their names in Stripe's error messages; a right to write is one to read. */
export type Right =
  | 'checkout_session_read'
  | 'checkout_session_write'
  | 'payment_intent_read'
  | 'charge_read'
  | 'charge_write'
  | 'dispute_read';

export type RestrictedKeys = Readonly<Record<string, readonly Right[]>>;

export type RequireRight = (right: Right) => void;

/** Returns what throws if a key lacks a right (Stripe API reference, Errors, HTTP status 403; docs, Restricted API keys). */
export function rightsOf(authorization: string | undefined, restrictedKeys: RestrictedKeys): RequireRight {
  const [, key] = /^bearer (\S+)$/i.exec(authorization ?? '') ?? [];
  if (key === undefined) throw new SandboxError(401, 'You did not provide an API key.');
  const rights = restrictedKeys[key];
  if (key.startsWith('rk_') && rights === undefined) throw new SandboxError(401, 'Invalid API Key provided.');
  return (right) => {
    if (
      rights === undefined ||
      rights.some((each) => [right, right.replace('_read', '_write')].includes(each))
    )
      return;
    const message =
      "The provided key 'rk_***' does not have the required permissions for this endpoint on account 'acct_sandbox'. " +
      `Having the 'rak_${right}' permission would allow this request to continue.`;
    throw new SandboxError(403, message);
  };
}
