import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../../../tools/test-kit/waiting.ts';
import { overloaded, ServiceError } from '../core/errors.ts';
import { readJson } from '../core/json/json-body.ts';
import { jsonResponse } from '../core/json/json-response.ts';
import type { HttpRequest, Log, StreamedResponse } from '../core/ports.ts';
import { type BodyBudget, SharedBytes } from './body-budget.ts';
import { createUploadReader } from './multipart.ts';
import { NodeHost } from './node-host.ts';
import { createRequestHandler, type RequestHandlerDependencies } from './request-handler.ts';

const dependencies: RequestHandlerDependencies = {
  clock: Date.now,
  after: () => () => {},
  ulid: () => '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  log: { info: () => {}, warn: () => {}, error: () => {} },
};
const MAX_BODY_BYTES = 10_000;
const BODY_IDLE_MS = 500;
const BODY_MS = 1_500;
const MIN_RATE = { bytesPerSecond: 1_000, overMs: 600 };

const budgetOf = (bytes: number): BodyBudget => ({
  arriving: new SharedBytes(bytes),
  slow: new SharedBytes(bytes),
  larger: new SharedBytes(bytes),
  unproven: new SharedBytes(bytes),
  complete: new SharedBytes(bytes),
  afterSending: 1 / 4,
});

let host: NodeHost;
let url: string;
let cancelledStreams = 0;

/** The routes that the server resolved. */
const resolved: (readonly [method: string, path: string])[] = [];

/** Chunks that endpoints read of bodies. */
let reads = 0;

function bodyCounted({ body, ...request }: HttpRequest): HttpRequest {
  const text = async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      reads += 1;
    }
    return Buffer.concat(chunks).toString();
  };
  return { ...request, body, text };
}

const BODY = {
  maxBytes: MAX_BODY_BYTES,
  idleMs: BODY_IDLE_MS,
  totalMs: BODY_MS,
  minRate: MIN_RATE,
  budget: budgetOf(1_000_000),
};

/** A path whose bodies may last so long that, on a machine of any speed, another limit ends them first. */
const PATIENT_PATH = '/patient';
const PATIENT_BODY = { ...BODY, totalMs: 600_000 };

async function listen({ server }: NodeHost): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function close({ server }: NodeHost): void {
  server.closeAllConnections();
  server.close();
}

const headOf = (header: string, path = '/') =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${header}\r\n\r\n`;

/**
 * Returns what the server sends until it closes the connection. `speak` returns a function that stops it, if it
 * continues.
 */
async function converse(speak: (socket: Socket) => unknown): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let received = '';
  let stop: unknown;
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    received += String(bytes);
    if (typeof stop === 'function') stop();
  });
  stop = speak(socket);
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

/** A response of five chunks. A reader who leaves ends it. */
function slowStream(): StreamedResponse {
  let hasLeft = false;
  async function* body() {
    for (let sentCount = 1; sentCount <= 5; sentCount += 1) {
      await pause(20);
      if (hasLeft) {
        cancelledStreams += 1;
        return;
      }
      yield `chunk ${sentCount}\n`;
    }
  }
  const leave = () => {
    hasLeft = true;
  };
  return { headers: {}, body: body(), leave };
}

beforeAll(async () => {
  const handler = createRequestHandler(
    async (request, { pathParameters, remainingTimeMs, silenceMs }) =>
      request.method === 'POST'
        ? jsonResponse({
            body: (await readJson(bodyCounted(request))).value,
            pathParameters,
            remaining: remainingTimeMs(),
            silenceMs,
          })
        : slowStream(),
    'openai',
    dependencies,
  );
  host = new NodeHost({
    resolve: (method, path) => {
      resolved.push([method, path]);
      return { handler, pathParameters: { path }, body: path === PATIENT_PATH ? PATIENT_BODY : BODY };
    },
    clock: () => 5_000,
    callMs: 1_000,
    maxCalls: 100,
  });
  url = await listen(host);
});

afterAll(() => close(host));

const post = (body: RequestInit['body'], init: object = {}) =>
  fetch(`${url}/a/b`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    ...init,
  } as RequestInit);

describe('the node:http host', () => {
  it('passes the body, the path parameters and the time that is left', async () => {
    const response = await (await post('{"a":[1]}')).json();
    expect(response).toMatchObject({ body: { a: [1] }, pathParameters: { path: '/a/b' }, remaining: 1_000 });
  });

  it('lets a call be silent for the timeout of CloudFront if the call came through it, else for its whole time', async () => {
    const headers = { 'content-type': 'application/json', 'x-viewer-ip': '192.0.2.1' };
    expect(await (await post('{}', { headers })).json()).toMatchObject({ silenceMs: 120_000 });
    expect(await (await post('{}')).json()).not.toHaveProperty('silenceMs');
  });

  it('rejects a body with a declared size above the limit with 413 in the envelope', async () => {
    const response = await post(JSON.stringify('y'.repeat(MAX_BODY_BYTES)));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'request_too_large' } });
    expect(response.headers.get('x-request-id')).toBe('req_01ARZ3NDEKTSV4RRFFQ69G5FAV');
  });

  it('rejects a body that exceeds the limit while it arrives', async () => {
    let isAnswered = false;
    const endless = new ReadableStream({
      async pull(controller) {
        if (isAnswered) return controller.close();
        controller.enqueue(new TextEncoder().encode('z'.repeat(3_000)));
        await pause(5);
      },
    });
    const response = await post(endless, { duplex: 'half' });
    isAnswered = true;
    expect(response.status).toBe(413);
  });

  it('returns 400 if a body stalls, and closes the connection', async () => {
    const received = await converse((socket) => socket.write(`${headOf('content-length: 50')}{"a"`));
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
    expect(received).toContain('stalled');
  });

  it('returns 400 if a body brings nearly all of its bytes at once, and then too little', async () => {
    const received = await converse((socket) => {
      socket.write(`${headOf('content-length: 9999', PATIENT_PATH)}"${'a'.repeat(9_000)}`);
      const timer = setInterval(() => socket.write('a'), 100);
      return () => clearInterval(timer);
    });
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
    expect(received).toContain('less than 1000 bytes a second');
  });

  it.each([
    ['brings too little', PATIENT_PATH, 100, 1, 'less than 1000 bytes a second'],
    ['never ends', '/', 50, 250, 'not complete after 1500 ms'],
  ])('returns 400 if a body %s, although it never stalls', async (_name, path, everyMs, bytes, message) => {
    const received = await converse((socket) => {
      socket.write(headOf('content-length: 9999', path));
      const timer = setInterval(() => socket.write('a'.repeat(bytes)), everyMs);
      return () => clearInterval(timer);
    });
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
    expect(received).toContain(message);
  });

  it('reads a body of one-byte chunks as if it had been sent whole', async () => {
    const text = JSON.stringify('a'.repeat(5_000));
    const chunks = [...text].map((letter) => `1\r\n${letter}\r\n`).join('');
    const before = reads;
    const received = await converse((socket) =>
      socket.write(`${headOf('transfer-encoding: chunked\r\nconnection: close')}${chunks}0\r\n\r\n`),
    );
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
    expect(received).toContain('a'.repeat(5_000));
    expect(reads - before).toBeLessThan(50);
  });

  it.each([
    ['TRACE /a/b', '/a/b', 'TRACE'],
    ['OPTIONS *', '/*', 'OPTIONS'],
    ['DELETE http://elsewhere.example/c?d=1', '/c', 'DELETE'],
    ['PURGE //a//b', '//a//b', 'PURGE'],
    ['M-SEARCH /%zz', '/%zz', 'M-SEARCH'],
  ])('responds to %s like to any other request', async (line, path, method) => {
    const received = await converse((socket) =>
      socket.write(`${line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`),
    );
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
    expect(received).toContain('chunk 5');
    expect(resolved.at(-1)).toEqual([method, path]);
  });

  it('cancels the response of a client that disconnects, and counts the call as open until it has settled', async () => {
    const before = cancelledStreams;
    host.takePeak();
    const response = await fetch(url);
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await until(
      () => host.takePeak(),
      (peak) => peak === 0,
    );
    expect(cancelledStreams).toBe(before + 1);
  });

  it('sends chunks as they are produced', async () => {
    const response = await fetch(url);
    const reads: string[] = [];
    for await (const chunk of response.body ?? []) reads.push(new TextDecoder().decode(chunk));
    expect(reads.join('')).toBe('chunk 1\nchunk 2\nchunk 3\nchunk 4\nchunk 5\n');
    expect(reads.length).toBeGreaterThan(1);
  });
});

/** A host whose calls stay open until the test ends them, or the host does. */
async function holdingHost({ budget, maxCalls = 100 }: { budget?: BodyBudget; maxCalls?: number }) {
  let nowMs = 0;
  const ended = new AbortController();
  const waiting: (() => void)[] = [];
  const wait = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      ended.signal.addEventListener('abort', () => resolve());
    });
  const handler = createRequestHandler(
    async (request, { remainingTimeMs, body }) => {
      const account = request.headers.get('x-account') ?? '';
      const needsCredit = body?.claim(account);
      if (needsCredit && account.startsWith('poor')) throw new ServiceError('insufficient_credit', 'None.');
      if (request.method === 'POST') await readJson(request);
      if (request.headers.has('x-sent')) body?.sent();
      await wait();
      return jsonResponse({ ended: ended.signal.aborted, remaining: remainingTimeMs() });
    },
    'openai',
    dependencies,
  );
  const rejectAll = createRequestHandler(() => Promise.reject(overloaded()), 'messages', dependencies);
  const holding = new NodeHost({
    resolve: (_method, path) => ({
      handler: path === '/health' ? async () => ({ status: 200, headers: {}, body: 'well' }) : handler,
      pathParameters: {},
      body: { ...BODY, ...(budget === undefined ? {} : { budget }) },
      ...(path === '/health' ? {} : { rejectHandler: rejectAll }),
    }),
    clock: () => nowMs,
    callMs: 60_000,
    maxCalls,
  });
  const address = await listen(holding);
  const open = (count: number) =>
    until(
      () => waiting.length,
      (length) => length >= count,
    );
  const release = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  /** Is called when that time of theirs is over. */
  const endCallsAfter = (ms: number) => () => {
    nowMs += ms;
    ended.abort();
  };
  return { holding, address, open, release, endCallsAfter };
}

describe('a client that leaves before its request is complete', () => {
  const readForm = createUploadReader({
    spool: async (bytes) => {
      for await (const _ of bytes);
      throw new Error('the file is complete');
    },
    maxFileBytes: MAX_BODY_BYTES,
    tooLarge: overloaded,
  });
  const form = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\naudio';

  it.each([
    ['a JSON body', 'application/json', '{"a"', readJson],
    ['an upload', 'multipart/form-data; boundary=b', form, readForm],
  ])(
    'appears in the log as canceled with %s, and neither as an error nor as a failed request',
    async (_name, type, start, read) => {
      const lines: unknown[] = [];
      const log: Log = {
        info: (message, fields, measured) => lines.push([message, fields, measured]),
        warn: (...line) => lines.push(line),
        error: (...line) => lines.push(line),
      };
      let startedCalls = 0;
      const endpoint = async (request: HttpRequest) => {
        startedCalls += 1;
        return jsonResponse(await read(request));
      };
      const handler = createRequestHandler(endpoint, 'openai', { ...dependencies, log, clock: () => 0 });
      const leaving = new NodeHost({
        resolve: () => ({ handler, pathParameters: {}, body: BODY }),
        clock: Date.now,
        callMs: 10_000,
        maxCalls: 10,
      });
      const socket = connect(Number(new URL(await listen(leaving)).port), '127.0.0.1');
      socket.write(
        `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: 900\r\n\r\n${start}`,
      );
      await until(
        () => startedCalls,
        (calls) => calls === 1,
      );
      await pause(50);
      socket.destroy();
      await until(
        () => lines.length,
        (length) => length > 0,
      );
      close(leaving);
      expect(lines).toEqual([
        ['answered', { requestId: `req_${dependencies.ulid()}`, outcome: 'cancelled', ms: 0 }, undefined],
      ]);
    },
  );
});

describe('a connection whose request had a body that nobody read', () => {
  it('closes once it has been idle', async () => {
    const handler = createRequestHandler(
      async () => {
        await pause(20);
        throw new ServiceError('invalid_api_key', 'No key.');
      },
      'openai',
      dependencies,
    );
    const strict = new NodeHost({
      resolve: () => ({ handler, pathParameters: {}, body: BODY }),
      clock: Date.now,
      callMs: 10_000,
      maxCalls: 10,
    });
    strict.server.keepAliveTimeout = 1;
    const socket = connect(Number(new URL(await listen(strict)).port), '127.0.0.1');
    socket.resume().write(`${headOf('content-length: 2')}{}`);
    socket.setTimeout(4_000, () => socket.destroy(new Error('the connection is still open')));
    await finished(socket).finally(() => close(strict));
  });
});

describe('the node:http host at its limits', () => {
  it('rejects further calls in the format of the route, with a time to retry, and still serves uncounted paths', async () => {
    const { holding, address, open, release } = await holdingHost({ maxCalls: 2 });
    const calls = [fetch(address), fetch(address)];
    expect(await open(2)).toBe(2);
    const response = await fetch(address);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'service_unavailable' } });
    expect(await (await fetch(`${address}/health`)).text()).toBe('well');
    release();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
    const next = fetch(address);
    expect(await open(1)).toBe(1);
    release();
    expect((await next).status).toBe(200);
    close(holding);
  });

  const send = (address: string, account: string, bytes: number, headers: object = {}) =>
    fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-account': account, ...headers },
      body: JSON.stringify('b'.repeat(bytes - 2)),
    });

  it('rejects a body that exceeds the bytes next to the open calls, and accepts it after they end', async () => {
    const { holding, address, open, release } = await holdingHost({ budget: budgetOf(10_000) });
    const first = send(address, 'a', 6_000);
    expect(await open(1)).toBe(1);
    expect((await send(address, 'b', 6_000)).status).toBe(503);
    release();
    expect((await first).status).toBe(200);
    const third = send(address, 'b', 6_000);
    expect(await open(1)).toBe(1);
    release();
    expect((await third).status).toBe(200);
    close(holding);
  });

  it('counts a quarter of a body once a route has responded to its call', async () => {
    const { holding, address, open, release } = await holdingHost({ budget: budgetOf(10_000) });
    const calls = [send(address, 'a', 8_000, { 'x-sent': '1' })];
    expect(await open(1)).toBe(1);
    calls.push(send(address, 'b', 3_000));
    expect(await open(2)).toBe(2);
    expect((await send(address, 'c', 5_100)).status).toBe(503);
    release();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
    close(holding);
  });
});

describe('calls whose body has not arrived', () => {
  /** Sends the head of a request, whose body the returned function sends. */
  function begin(
    address: string,
    account: string,
  ): { finish(): void; leave(): void; readonly received: () => string } {
    const socket = connect(Number(new URL(address).port), '127.0.0.1').on('error', () => {});
    let received = '';
    socket.on('data', (bytes) => {
      received += String(bytes);
    });
    socket.write(headOf(`x-account: ${account}\r\ncontent-length: 2`));
    return {
      finish: () => void socket.write('{}'),
      leave: () => void socket.destroy(),
      received: () => received,
    };
  }

  it('keep no other account out, and one account has half of their number at most', async () => {
    const { holding, address, open, release } = await holdingHost({ maxCalls: 2 });
    const silent = Array.from({ length: 4 }, () => begin(address, 'a'));
    await pause(200);
    expect(silent.map(({ received }) => received())).toEqual(['', '', '', '']);
    const fifth = begin(address, 'a');
    await until(fifth.received, (text) => text.includes('body_quota'));
    expect(fifth.received()).toMatch(/^HTTP\/1.1 429 /);
    const other = fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-account': 'b' },
      body: '{}',
    });
    expect(await open(1)).toBe(1);
    for (const call of silent) call.leave();
    await pause(100);
    const next = begin(address, 'a');
    next.finish();
    expect(await open(2)).toBe(2);
    release();
    expect((await other).status).toBe(200);
    close(holding);
  });

  it('receive 503 once it has arrived if the host has its maximum of calls then', async () => {
    const { holding, address, open, release } = await holdingHost({ maxCalls: 1 });
    const late = begin(address, 'a');
    await pause(100);
    const first = fetch(address);
    expect(await open(1)).toBe(1);
    late.finish();
    await until(late.received, (text) => text.includes('overloaded'));
    expect(late.received()).toMatch(/^HTTP\/1.1 503 /);
    release();
    expect((await first).status).toBe(200);
    close(holding);
  });
});

describe('a host that stops', () => {
  it('fails its health check, serves also calls that arrive, and closes once none is open', async () => {
    const { holding, address, open, release, endCallsAfter } = await holdingHost({});
    expect(holding.isHealthy).toBe(false);
    holding.isReady = true;
    expect(holding.isHealthy).toBe(true);
    const early = fetch(address);
    expect(await open(1)).toBe(1);
    const stopped = holding.stop(50_000, endCallsAfter(50_000));
    expect(holding.isHealthy).toBe(false);
    const late = fetch(address);
    expect(await open(2)).toBe(2);
    release();
    for (const response of await Promise.all([early, late])) {
      expect(await response.json()).toMatchObject({ ended: false });
      expect(response.headers.get('connection')).toBe('close');
    }
    await stopped;
    await expect(fetch(address)).rejects.toThrow('fetch failed');
  });

  it('counts the time of its calls from when it began to drain', async () => {
    const { holding, address, open, endCallsAfter } = await holdingHost({});
    const call = fetch(address);
    expect(await open(1)).toBe(1);
    holding.drain(0);
    const stopped = holding.stop(600_000, endCallsAfter(0));
    expect(await (await call).json()).toMatchObject({ ended: true });
    await stopped;
  });

  it('ends the remaining calls with a response when their time is over', async () => {
    const { holding, address, open, endCallsAfter } = await holdingHost({});
    const late = fetch(address);
    expect(await open(1)).toBe(1);
    const stopped = holding.stop(200, endCallsAfter(200));
    // The time to settle, which is not waited for when nothing is left to do so.
    expect(await (await late).json()).toEqual({ ended: true, remaining: 15_000 });
    const fullWait = pause(14_000, 'waited for the whole time', { ref: false });
    expect(await Promise.race([stopped, fullWait])).toBeUndefined();
  });
});
