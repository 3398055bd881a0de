import { isIP, type LookupFunction } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createSender } from '../../webhooks/store/webhook-sender.ts';
import { SlowHost } from '../testing/connections/slow-host.ts';
import { ConnectionPool } from './connection-pool.ts';
import { createExchange } from './http-exchange.ts';
import { createUpstreamFetch } from './upstream-fetch.ts';

/** Discard-only, so nothing is ever there (RFC 6666). */
const DEAD_IPV6 = '100::1';
const HOST = '127.0.0.1';

const hosts: SlowHost[] = [];

afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.stop()));
});

async function slowHost(): Promise<SlowHost> {
  const host = await SlowHost.start(HOST);
  hosts.push(host);
  await host.blockFor(600, HOST);
  return host;
}

/** Returns a lookup that resolves every name to these addresses, as the system's resolver does. */
const lookupOf =
  (addresses: readonly string[]): LookupFunction =>
  (_name, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    );

describe.each([
  ['IPv6 first', [DEAD_IPV6, HOST, DEAD_IPV6]],
  ['IPv4 first', [HOST, DEAD_IPV6]],
])(
  'a host that accepts after a second over IPv4, with an additional unreachable IPv6 address: %s',
  (_, addresses) => {
    it('serves a model call', async () => {
      const host = await slowHost();
      const pool = new ConnectionPool({ lookup: lookupOf(addresses) });
      const post = createUpstreamFetch(createExchange(pool));
      const startedMs = performance.now();
      const response = await post(`http://provider.example:${host.port}/`, { method: 'POST', body: '{}' });
      expect(await response.text()).toBe('{}');
      // Otherwise the host was not slow.
      expect(performance.now() - startedMs).toBeGreaterThan(700);
    });
  },
);

describe.each([
  ['IPv6 first', ['::1', HOST, '::1']],
  ['IPv4 first', [HOST, '::1']],
])(
  'a receiver that accepts after a second over IPv4, with an additional IPv6 address that refuses connections: %s',
  (_, addresses) => {
    it('receives a delivery of a webhook', async () => {
      const host = await slowHost();
      const deliver = createSender({ allowLoopback: true, resolve: async () => addresses });
      const startedMs = performance.now();
      const request = { url: `http://localhost:${host.port}/hook`, headers: {}, body: '{}' };
      expect(await deliver(request)).toMatchObject({ outcome: 'delivered', status: 200 });
      expect(performance.now() - startedMs).toBeGreaterThan(700);
    });
  },
);
