import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '../../../tools/test-kit/waiting.ts';
import { RELEASE } from '../contract/release.ts';
import { ConnectionPool } from './connection-pool.ts';
import { createExchange, type HttpExchange } from './http-exchange.ts';
import { createUpstreamFetch } from './upstream-fetch.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const fetch = createUpstreamFetch(createExchange(new ConnectionPool()));

/** The response to one request, and the server's side of it. */
async function responding(respond: (response: ServerResponse) => void) {
  const server = createServer((_, response) => respond(response));
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { status, headers, body } = await fetch(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  );
  if (body === null) throw new Error('there is no body');
  return { status, headers, body };
}

it('a request names the service and its release', async () => {
  const headers: unknown[] = [];
  const message = Object.assign(Readable.from([]), { statusCode: 200, headers: {} });
  const exchange: HttpExchange = async (request) => {
    headers.push(request.headers);
    return message as never;
  };
  await createUpstreamFetch(exchange)('http://upstream.test/');
  expect(headers).toMatchObject([{ 'user-agent': `unified-inference-service/${RELEASE}` }]);
});

describe('the body of a response', () => {
  it('ends if its reader leaves at any time, and no byte that comes later is an error', async () => {
    const failures: unknown[] = [];
    const note = (failure: unknown) => void failures.push(failure);
    process.on('uncaughtException', note);
    for (const turns of [0, 1, 2, 3]) {
      const { body } = await responding((response) => void response.writeHead(200).end('x'.repeat(100)));
      for (let passed = 0; passed < turns; passed += 1) await turn();
      for await (const _ of body) break;
    }
    await turn();
    process.off('uncaughtException', note);
    expect(failures).toEqual([]);
  });

  it('gives all bytes that have arrived in one read, and fails as its connection does', async () => {
    const message = Object.assign(new Readable({ read() {} }), { statusCode: 200, headers: {} });
    const { body } = await createUpstreamFetch(async () => message as never)('http://upstream.test/');
    const reads = body?.[Symbol.asyncIterator]();
    const waiting = reads?.next();
    message.push('one');
    expect(String((await waiting)?.value)).toBe('one');
    message.push('two');
    message.push('three');
    expect(String((await reads?.next())?.value)).toBe('twothree');
    const failure = new Error('reset');
    message.destroy(failure);
    await expect(reads?.next()).rejects.toBe(failure);
  });

  it('comes ahead of its reader by its bytes, not to its end', async () => {
    let sentBytes = 0;
    const { body } = await responding((response) => {
      const send = () => {
        let isTaken = true;
        while (isTaken && sentBytes < MOST_BYTES) {
          isTaken = response.write(Buffer.alloc(64 * 1024));
          sentBytes += 64 * 1024;
        }
        if (sentBytes >= MOST_BYTES) response.end();
      };
      response.on('drain', send);
      send();
    });
    const sentWhenFull = await settled(() => sentBytes);
    expect(sentWhenFull).toBeLessThan(MOST_BYTES / 4);
    let largestRead = 0;
    let readBytes = 0;
    for await (const bytes of body) {
      largestRead = Math.max(largestRead, bytes.length);
      readBytes += bytes.length;
    }
    expect(readBytes).toBe(MOST_BYTES);
    // What is read ahead, and one read of the socket.
    expect(largestRead).toBeLessThanOrEqual(128 * 1024);
  });
});

/** More than the sockets of a connection hold. */
const MOST_BYTES = 128 * 1024 * 1024;

/** Returns a number that has stopped growing. */
async function settled(read: () => number): Promise<number> {
  let before = -1;
  let same = 0;
  await until(
    () => {
      same = read() === before ? same + 1 : 0;
      before = read();
      return same;
    },
    (count) => count > 20,
  );
  return before;
}
