import { isIP, type LookupFunction } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createSender } from '../../webhooks/store/webhook-sender.ts';
import { SlowHost } from '../testing/connections/slow-host.ts';
import { ConnectionPool } from './connection-pool.ts';
import { createExchange } from './http-exchange.ts';
import { createUpstreamFetch } from './upstream-fetch.ts';

/** Discard-only, so nothing is ever there (RFC 6666). */
const DEAD_IPV6 = '100::1';
const HOST = '127.0.0.1';

let host: SlowHost;

beforeEach(async () => {
  host = await SlowHost.start(HOST);
});

afterEach(() => host.stop());

/** Returns a lookup that resolves every name to these addresses, as the system's resolver does. */
const lookupOf =
  (addresses: readonly string[]): LookupFunction =>
  (_name, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    );

/** Calls of a host that has also an IPv6 address, which leads nowhere. */
const CALLS: readonly (readonly [string, string, (addresses: readonly string[]) => Promise<unknown>])[] = [
  [
    'a model call, if IPv6 is unreachable',
    DEAD_IPV6,
    async (addresses) => {
      const post = createUpstreamFetch(createExchange(new ConnectionPool({ lookup: lookupOf(addresses) })));
      return (await post(`http://provider.example:${host.port}/`, { method: 'POST', body: '{}' })).text();
    },
  ],
  [
    'a delivery of a webhook, if IPv6 is refused',
    '::1',
    async (addresses) => {
      const deliver = createSender({ allowLoopback: true, resolve: async () => addresses });
      return (await deliver({ url: `http://localhost:${host.port}/hook`, headers: {}, body: '{}' })).body;
    },
  ],
];

describe.each(CALLS)('a host that accepts late over IPv4 serves %s', (_name, other, call) => {
  it.each([
    ['first', [other, HOST, other]],
    ['last', [HOST, other]],
  ])('after a second, with the IPv6 address %s', async (_place, addresses) => {
    const startedMs = performance.now();
    const [body] = await Promise.all([call(addresses), host.resume()]);
    expect(body).toBe('{}');
    // Otherwise the host was not slow.
    expect(performance.now() - startedMs).toBeGreaterThan(700);
  });
});
