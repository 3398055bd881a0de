/** Where a subscription may point: the checks of a URL that need no look at the network. */

import { bareHost, isAddress, isLoopbackAddress, isPublicAddress } from '../address.ts';
import { ServiceError } from '../errors.ts';

/** What servers and proxies commonly take. */
const MAX_URL_LENGTH = 2048;

/** `localhost` and what ends in it never leaves the machine (RFC 6761, section 6.3). */
const LOCALHOST = /^(.+\.)?localhost\.?$/;

/** Says of an address whether a delivery may go there. */
export type AddressRule = (address: string) => boolean;

/** The rule in force: public addresses, and on a developer's machine its own. */
export const addressRule =
  (allowLoopback: boolean): AddressRule =>
  (address) =>
    isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));

/** Gives the addresses of a host name; empty when it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const refused = (reason: string) => new ServiceError('invalid_value', `url: ${reason}.`, { param: 'url' });

/** Reads a subscription's URL. Throws 400 `invalid_value` when it is none that may be delivered to. */
export function parseTarget(text: string, allowLoopback: boolean): URL {
  const url = text.length <= MAX_URL_LENGTH ? URL.parse(text) : null;
  if (url === null) throw refused(`must be a URL of at most ${MAX_URL_LENGTH} characters`);
  if (url.username !== '' || url.password !== '') throw refused('must not hold credentials');
  const host = bareHost(url.hostname);
  const local = LOCALHOST.test(host) || isLoopbackAddress(host);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local && allowLoopback))
    throw refused('must begin with https://');
  if (host === '') throw refused('must name a host');
  if (!(local ? allowLoopback : !isAddress(host) || isPublicAddress(host)))
    throw refused('must lead to an address on the public internet');
  return url;
}

/**
 * Reads a subscription's URL and looks its host up. A name that nobody answers for passes: every delivery looks again,
 * and a name server that is slow today says nothing about tomorrow.
 */
export async function checkTarget(text: string, allowLoopback: boolean, resolve: Resolve): Promise<string> {
  const url = parseTarget(text, allowLoopback);
  const addresses = await resolve(bareHost(url.hostname));
  if (!addresses.every(addressRule(allowLoopback)))
    throw refused('must lead to an address on the public internet');
  return url.href;
}
