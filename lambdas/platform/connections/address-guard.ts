/** Resolves hostnames without a cache and without the system's resolver, whose few threads a slow name would block. */
import { Resolver } from 'node:dns/promises';
import { ALLOW_LOOPBACK_VARIABLE } from '../contract/environment.ts';
import { bareHost, isAddress, isLocalhost, type Resolve } from '../core/address.ts';

/** The maximum time that a subscriber waits. A delivery has its own time limit. */
export const LOOKUP_MS = 2_000;

/**
 * Returns the addresses of a hostname, both families; an address resolves to itself. Returns an empty list if the name
 * has none or no name server responds in time. `servers` replaces the system's name servers.
 */
export function createResolve(servers?: readonly string[], lookupMs = LOOKUP_MS): Resolve {
  return async (hostname) => {
    const name = bareHost(hostname);
    if (isAddress(name)) return [name];
    if (isLocalhost(name)) return ['127.0.0.1', '::1'];
    const resolver = new Resolver({ timeout: lookupMs, tries: 1 });
    if (servers !== undefined) resolver.setServers([...servers]);
    const cut = setTimeout(() => resolver.cancel(), lookupMs);
    const lookups = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    clearTimeout(cut);
    return lookups.flatMap((lookup) => (lookup.status === 'fulfilled' ? lookup.value : []));
  };
}

/** Returns whether webhooks and downloads may go to this machine. A developer enables it, and no template does. */
export const loopbackAllowed = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  environment[ALLOW_LOOPBACK_VARIABLE] === '1';
