/** Looks host names up without a cache and without the system's resolver, whose few threads a slow name would hold. */
import { Resolver } from 'node:dns/promises';
import { ALLOW_LOOPBACK_VARIABLE } from '../../platform/contract/environment.ts';
import { bareHost, isAddress, isLocalhost } from '../../platform/core/address.ts';
import type { Resolve } from '../core/target.ts';

/** The maximum time that a subscriber waits. A delivery has its own time limit. */
export const LOOKUP_MS = 2_000;

/**
 * The addresses of a host, both families; an address is its own. Empty when the name has none or nobody answers in
 * time. `servers` replaces the system's name servers.
 */
export function createResolve(servers?: readonly string[], lookupMs = LOOKUP_MS): Resolve {
  return async (host) => {
    const name = bareHost(host);
    if (isAddress(name)) return [name];
    if (isLocalhost(name)) return ['127.0.0.1', '::1'];
    const resolver = new Resolver({ timeout: lookupMs, tries: 1 });
    if (servers !== undefined) resolver.setServers([...servers]);
    const cut = setTimeout(() => resolver.cancel(), lookupMs);
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    clearTimeout(cut);
    return found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

/** Returns whether webhooks may go to this machine. A developer enables it, and no template does. */
export const loopbackAllowed = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  environment[ALLOW_LOOPBACK_VARIABLE] === '1';
