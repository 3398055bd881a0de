/** The allowed targets of a subscription: the checks of a URL, and of the addresses that its host resolves to. */

import { addressRule, bareHost, type Resolve, urlFault } from '../../platform/core/address.ts';
import { ServiceError } from '../../platform/core/errors.ts';

/** The maximum length that servers and proxies commonly accept. */
export const MAX_URL_LENGTH = 2048;

const invalidUrl = (reason: string) => new ServiceError('invalid_value', `url: ${reason}.`, { param: 'url' });

/** Parses a subscription's URL. Throws 400 `invalid_value` when deliveries may not go there. */
export function parseTarget(text: string, allowLoopback: boolean): URL {
  const url = text.length <= MAX_URL_LENGTH ? URL.parse(text) : null;
  if (url === null) throw invalidUrl(`must be a URL of at most ${MAX_URL_LENGTH} characters`);
  const fault = urlFault(url, allowLoopback);
  if (fault !== undefined) throw invalidUrl(fault);
  return url;
}

/**
 * Parses a subscription's URL and resolves its host. A name that does not resolve now passes: every delivery resolves it
 * again. Throws as `parseTarget` does.
 */
export async function checkTarget(text: string, allowLoopback: boolean, resolve: Resolve): Promise<string> {
  const url = parseTarget(text, allowLoopback);
  const addresses = await resolve(bareHost(url.hostname));
  if (!addresses.every(addressRule(allowLoopback)))
    throw invalidUrl('must resolve to addresses on the public internet');
  return url.href;
}
