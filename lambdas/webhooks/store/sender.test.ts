import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { onLinux } from '../../../tools/test-kit/on-linux.ts';
import { createResolve, LOOKUP_MS } from '../../platform/connections/address-guard.ts';
import type { After } from '../../platform/core/ports.ts';
import {
  httpReceiver,
  type ReceivedDelivery,
  type Receiver,
  readReceived,
  selfSignedReceiver,
  tcpReceiver,
} from '../../platform/testing/connections/receivers.ts';
import { checkTarget } from '../core/target.ts';
import { FORBIDDEN_HOSTS } from '../testing/forbidden-hosts.ts';
import { startNameServer } from '../testing/name-server.ts';
import { createSender, RECEIVER_MS } from './webhook-sender.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function closedLater<T extends { close(): Promise<void> }>(making: Promise<T>): Promise<T> {
  const resource = await making;
  open.push(resource);
  return resource;
}

const answering = (listener: RequestListener) => closedLater(httpReceiver(listener));
const speaking = (accept: (socket: Socket) => void, host?: string) => closedLater(tcpReceiver(accept, host));
/** Resolves names by a server of the test's own. */
const resolvingBy = async (...answers: Parameters<typeof startNameServer>) => {
  const server = await closedLater(startNameServer(...answers));
  return { server, resolve: createResolve([server.address]) };
};

const local = createSender({ allowLoopback: true, resolve: createResolve() });
const guarded = createSender({ allowLoopback: false, resolve: createResolve() });
const request = (url: string) => ({ url, headers: { 'x-test': 'yes' }, body: '{"id":"evt_1"}' });

describe('a receiver', () => {
  it('receives the body byte for byte, and the first kilobyte of its response is stored', async () => {
    let received: ReceivedDelivery | undefined;
    const receiver = await answering(async (incoming, response) => {
      received = await readReceived(incoming);
      response.writeHead(201).end('x'.repeat(5000));
    });
    const result = await local(request(receiver.url));
    expect(result).toEqual({ outcome: 'delivered', status: 201, body: 'x'.repeat(1024) });
    expect(received?.body).toBe('{"id":"evt_1"}');
    expect(received?.headers).toMatchObject({ 'x-test': 'yes', Connection: 'close' });
  });

  it.each([300, 301, 302, 303, 307, 308])(
    'fails if it returns %i, and the redirect is not followed',
    async (status) => {
      const elsewhere = await answering((_, response) => response.end());
      const receiver = await answering((_, response) =>
        response.writeHead(status, { location: elsewhere.url }).end(),
      );
      expect(await local(request(receiver.url))).toMatchObject({ outcome: 'status', status });
      expect(elsewhere.connections()).toBe(0);
    },
  );

  it.each([
    ...[200, 201, 202, 204, 299].map((status) => [status, 'delivered'] as const),
    ...[400, 404, 410, 500, 503].map((status) => [status, 'status'] as const),
  ])('causes, if it returns %i, the outcome "%s" with the body of the response', async (status, outcome) => {
    const receiver = await answering((_, response) => response.writeHead(status).end('because'));
    expect(await local(request(receiver.url))).toEqual({
      outcome,
      status,
      body: status === 204 ? '' : 'because',
    });
  });

  it('specifies when to retry if it returns 429', async () => {
    const receiver = await answering((_, response) => response.writeHead(429, { 'retry-after': '17' }).end());
    expect(await local(request(receiver.url))).toMatchObject({ status: 429, retryAfter: '17' });
  });

  it('counts as having responded if its endless response is cut after a kilobyte', async () => {
    const receiver = await answering(async (_, response) => {
      response.writeHead(200);
      while (!response.destroyed) {
        response.write('x'.repeat(65_536));
        await sleep(1);
      }
    });
    expect(await local(request(receiver.url))).toMatchObject({ outcome: 'delivered', status: 200 });
  });

  it.each<[string, (socket: Socket) => unknown, string]>([
    ['resets', (socket) => socket.resetAndDestroy(), 'connection'],
    ['hangs up', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'), 'connection'],
    ['sends invalid data', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'), 'protocol'],
    [
      'sends endless headers',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(64_000)}\r\n\r\n`),
      'protocol',
    ],
  ])('fails if it %s', async (_what, respond, outcome) => {
    const receiver = await speaking((socket) => socket.once('data', () => respond(socket)));
    expect(await local(request(receiver.url))).toEqual({ outcome });
  });

  it('fails if nothing listens at its address', async () => {
    const receiver = await httpReceiver((_, response) => response.end());
    await receiver.close();
    expect(await local(request(receiver.url))).toEqual({ outcome: 'connection' });
  });

  it('fails and receives nothing if no authority trusts its certificate', async () => {
    const receiver = await closedLater(selfSignedReceiver());
    expect(await local(request(receiver.url))).toEqual({ outcome: 'tls' });
  });
});

describe('five seconds', () => {
  /** A sender whose time is over when the test says. */
  function timedSender(resolve = createResolve()) {
    const timers: { readonly ms: number; readonly run: () => void; isCancelled: boolean }[] = [];
    const after: After = (ms, run) => {
      const timer = { ms, run, isCancelled: false };
      timers.push(timer);
      return () => {
        timer.isCancelled = true;
      };
    };
    return { timers, send: createSender({ allowLoopback: true, resolve, after }) };
  }

  it.each([
    ['no answer', ''],
    ['slow headers', 'HTTP/1.1 200 OK\r\nx-slow: '],
    ['a slow body', 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n'],
  ])('end a delivery to a receiver with %s, and its connection', async (_name, hasStarted) => {
    const dripped = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const receiver = await speaking((socket) => {
      socket.resume().write(hasStarted);
      const drip = setInterval(() => {
        if (hasStarted !== '') socket.write('x');
        if (hasStarted === '' || socket.bytesWritten > hasStarted.length + 5) dripped.resolve();
      }, 10);
      socket.once('close', () => {
        clearInterval(drip);
        closed.resolve();
      });
    });
    const { timers, send } = timedSender();
    const sending = send(request(receiver.url));
    await dripped.promise;
    expect(timers).toMatchObject([{ ms: 5_000, isCancelled: false }]);
    timers[0]?.run();
    expect(await sending).toEqual({ outcome: 'timeout' });
    await closed.promise;
  });

  it('end a delivery if the lookup of its hostname takes that long', async () => {
    const { timers, send } = timedSender(() => new Promise(() => {}));
    const sending = send(request('https://hook.example/'));
    timers[0]?.run();
    expect(await sending).toEqual({ outcome: 'timeout' });
  });

  it('end with a response within them', async () => {
    const { timers, send } = timedSender();
    const receiver = await answering((_, response) => response.end('in time'));
    expect(await send(request(receiver.url))).toMatchObject({ outcome: 'delivered' });
    expect(timers).toMatchObject([{ isCancelled: true }]);
  });

  it('exceed the time that is spent on name servers that do not respond', async () => {
    const silent = createSocket('udp4').bind(0, '127.0.0.1');
    await once(silent, 'listening');
    expect(await createResolve([`127.0.0.1:${silent.address().port}`], 50)('hook.example')).toEqual([]);
    expect(LOOKUP_MS).toBeLessThan(RECEIVER_MS / 2);
    silent.close();
  });

  it('remain unused if a name has no address', async () => {
    const send = createSender({ allowLoopback: false, ...(await resolvingBy(() => [])) });
    expect(await send(request('https://hook.example/'))).toEqual({ outcome: 'dns' });
  });
});

describe('a forbidden address', () => {
  let listeners: readonly Receiver[];

  beforeEach(async () => {
    listeners = await Promise.all(['127.0.0.1', '::1'].map((host) => speaking(() => {}, host)));
  });
  afterEach(() => {
    expect(listeners.map((listener) => listener.connections())).toEqual([0, 0]);
  });

  it('receives no connection in any spelling', async () => {
    const urls = FORBIDDEN_HOSTS.flatMap((host) =>
      ['https', 'http'].flatMap((scheme) => listeners.map(({ port }) => `${scheme}://${host}:${port}/`)),
    );
    const results = await Promise.all(urls.map((url) => guarded(request(url))));
    expect(results.filter(({ outcome }) => outcome !== 'forbidden_address')).toEqual([]);
  });

  it('receives no connection if a name starts to resolve to it after the subscription', async () => {
    const { resolve } = await resolvingBy((question) => (question === 0 ? ['93.184.216.34'] : ['127.0.0.1']));
    const url = await checkTarget(`https://rebind.example:${listeners[0]?.port}/hook`, false, resolve);
    const send = createSender({ allowLoopback: false, resolve });
    expect(await send(request(url))).toEqual({ outcome: 'forbidden_address' });
  });

  it.each([
    ['one of several addresses', ['93.184.216.34', '127.0.0.1'], []],
    ['the only one, over IPv6', [], ['::1']],
    ['the one over IPv6', ['93.184.216.34'], ['::1']],
    ['the one over IPv4', ['127.0.0.1'], ['2606:2800:220:1::1']],
  ])('receives no connection if it is %s of a name', async (_which, four, six) => {
    const { resolve } = await resolvingBy(() => four, six);
    expect([...(await resolve('mixed.example'))].sort()).toEqual([...four, ...six].sort());
    const send = createSender({ allowLoopback: false, resolve });
    for (const { port } of listeners)
      expect(await send(request(`https://mixed.example:${port}/`))).toEqual({ outcome: 'forbidden_address' });
  });
});

describe('a name', () => {
  onLinux('is resolved once, so that its connection goes to the address that was checked', async () => {
    const checked = await closedLater(selfSignedReceiver());
    const other = await speaking(() => {}, '127.0.0.2');
    const { server, resolve } = await resolvingBy((question) => [question === 0 ? '127.0.0.1' : '127.0.0.2']);
    const send = createSender({ allowLoopback: true, resolve });
    // The certificate is for another name: the connection was made, and to the address that was checked.
    expect(await send(request(`https://rebind.example:${checked.port}/`))).toEqual({ outcome: 'tls' });
    expect(server.questions()).toBe(1);
    expect([checked.connections(), other.connections()]).toEqual([1, 0]);
  });
});
