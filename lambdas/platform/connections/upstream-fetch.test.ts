import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { ConnectionPool } from './connection-pool.ts';
import { createExchange } from './http-exchange.ts';
import { createUpstreamFetch } from './upstream-fetch.ts';

it('a reader that leaves at any time ends the response, and no byte that comes later is an error', async () => {
  const server = createServer((_, response) => void response.writeHead(200).end('x'.repeat(100)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fetch = createUpstreamFetch(createExchange(new ConnectionPool()));
  const failures: unknown[] = [];
  const note = (failure: unknown) => void failures.push(failure);
  process.on('uncaughtException', note);
  for (const turns of [0, 1, 2, 3]) {
    const { body } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    for (let passed = 0; passed < turns; passed += 1) await turn();
    await body?.cancel();
  }
  await turn();
  process.off('uncaughtException', note);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(failures).toEqual([]);
});
