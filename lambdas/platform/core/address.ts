/** The recognition of addresses of the public internet, in any notation. */
import ipaddr from 'ipaddr.js';

/** The only part of IPv6 that is routed globally (IANA, IPv6 Global Unicast Address Assignments). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Public in form, but handled by the host itself: the virtual machine agent's address in Azure. */
const HOST_SERVICES: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * Returns whether the address is a global unicast one. An address in IANA's special-purpose registries is not. Nor is
 * any IPv6 form that contains an IPv4 address (mapped, compatible, translated, 6to4, Teredo, NAT64), for any IPv4
 * address.
 */
export function isPublicAddress(text: string): boolean {
  const address = parse(text);
  if (address === undefined || address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv4') return !HOST_SERVICES.has(address.toString());
  return (address as ipaddr.IPv6).match(GLOBAL_UNICAST);
}

/** Returns whether the address is this machine, `127.0.0.0/8` or `::1`, mapped or not. */
export function isLoopbackAddress(text: string): boolean {
  const address = parse(text);
  if (address === undefined) return false;
  const plain = address.kind() === 'ipv6' ? ipaddr.process(address.toString()) : address;
  return plain.range() === 'loopback';
}

/** Returns whether the host of a URL is an address and not a name. */
export function isAddress(hostname: string): boolean {
  return parse(hostname) !== undefined;
}

/**
 * Returns whether a hostname is `localhost` or a name in it. It is this machine, whatever a name server returns (RFC
 * 6761, section 6.3).
 */
export const isLocalhost = (hostname: string): boolean => /^(.+\.)?localhost\.?$/.test(hostname);

/** A host of a URL without the brackets of IPv6. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Returns whether a request may go to an address. */
export type AddressRule = (address: string) => boolean;

/** Public addresses, and with `allowLoopback` (a developer's machine) loopback ones. */
export const addressRule =
  (allowLoopback: boolean): AddressRule =>
  (address) =>
    isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));

/** Returns the addresses of a hostname; empty if it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * Returns why no request may go to a URL that a third party has named; undefined if one may. A name is not resolved
 * here, so the addresses that it resolves to are checked before each request.
 */
export function urlFault(url: URL, allowLoopback: boolean): string | undefined {
  if (url.username !== '' || url.password !== '') return 'must not hold credentials';
  const hostname = bareHost(url.hostname);
  const local = isLocalhost(hostname) || isLoopbackAddress(hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local && allowLoopback))
    return 'must begin with https://';
  if (hostname === '') return 'must name a host';
  const isAllowed = local ? allowLoopback : !isAddress(hostname) || isPublicAddress(hostname);
  return isAllowed ? undefined : 'must resolve to addresses on the public internet';
}

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return ipaddr.isValid(text) ? ipaddr.parse(text) : undefined;
}
