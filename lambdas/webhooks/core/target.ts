/** The allowed targets of a subscription: the checks of a URL, and of the addresses that its host resolves to. */

import {
  bareHost,
  isAddress,
  isLocalhost,
  isLoopbackAddress,
  isPublicAddress,
} from '../../platform/core/address.ts';
import { ServiceError } from '../../platform/core/errors.ts';

/** The maximum length that servers and proxies commonly accept. */
export const MAX_URL_LENGTH = 2048;

/** Returns whether a delivery may go to an address. */
export type AddressRule = (address: string) => boolean;

/** Public addresses, and with `allowLoopback` (a developer's machine) loopback ones. */
export const addressRule =
  (allowLoopback: boolean): AddressRule =>
  (address) =>
    isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));

/** Gives the addresses of a host name; empty when it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const invalidUrl = (reason: string) => new ServiceError('invalid_value', `url: ${reason}.`, { param: 'url' });

/** Parses a subscription's URL. Throws 400 `invalid_value` when deliveries may not go there. */
export function parseTarget(text: string, allowLoopback: boolean): URL {
  const url = text.length <= MAX_URL_LENGTH ? URL.parse(text) : null;
  if (url === null) throw invalidUrl(`must be a URL of at most ${MAX_URL_LENGTH} characters`);
  if (url.username !== '' || url.password !== '') throw invalidUrl('must not hold credentials');
  const hostname = bareHost(url.hostname);
  const local = isLocalhost(hostname) || isLoopbackAddress(hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local && allowLoopback))
    throw invalidUrl('must begin with https://');
  if (hostname === '') throw invalidUrl('must name a host');
  if (!(local ? allowLoopback : !isAddress(hostname) || isPublicAddress(hostname)))
    throw invalidUrl('must resolve to addresses on the public internet');
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
