import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readJson } from '../../lambdas/core/json-body.ts';
import type { Log } from '../../lambdas/core/ports.ts';
import { front } from '../../lambdas/edge/front.ts';
import { createNodeHost } from '../../lambdas/edge/node-host.ts';

const log: Log = { info: () => {}, warn: () => {}, error: () => {} };
const MAX_BODY_BYTES = 1_000;
const BODY_IDLE_MS = 500;

let server: Server;
let url: string;
let finishedStreams = 0;

const slowStream = () => {
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      await pause(20);
      if (sent === 5) {
        finishedStreams += 1;
        controller.close();
      } else {
        sent += 1;
        controller.enqueue(new TextEncoder().encode(`chunk ${sent}\n`));
      }
    },
  });
};

beforeAll(async () => {
  const handler = front(
    async (request, { pathParameters, remainingTimeMs }) =>
      request.method === 'POST'
        ? Response.json({
            body: (await readJson(request)).value,
            pathParameters,
            remaining: remainingTimeMs(),
          })
        : new Response(slowStream()),
    'openai',
    { clock: Date.now, ulid: () => '01ARZ3NDEKTSV4RRFFQ69G5FAV', log },
  );
  server = createNodeHost({
    resolve: (_method, path) => ({ handler, pathParameters: { path } }),
    clock: Date.now,
    maxBodyBytes: MAX_BODY_BYTES,
    bodyIdleMs: BODY_IDLE_MS,
    callMs: 1_000,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const post = (body: RequestInit['body'], init: object = {}) =>
  fetch(`${url}/a/b`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    ...init,
  } as RequestInit);

describe('the node:http host', () => {
  it('passes the body, the path parameters and the time that is left', async () => {
    const answer = (await (await post('{"a":[1]}')).json()) as { remaining: number };
    expect(answer).toMatchObject({ body: { a: [1] }, pathParameters: { path: '/a/b' } });
    expect(answer.remaining).toBeGreaterThan(0);
    expect(answer.remaining).toBeLessThanOrEqual(1_000);
  });

  it('refuses a body that is declared too large with 413 in the envelope', async () => {
    const response = await post(JSON.stringify('y'.repeat(MAX_BODY_BYTES)));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'request_too_large' } });
    expect(response.headers.get('x-request-id')).toBe('req_01ARZ3NDEKTSV4RRFFQ69G5FAV');
  });

  it('refuses a body that turns out too large while it arrives', async () => {
    let answered = false;
    const endless = new ReadableStream({
      async pull(controller) {
        if (answered) return controller.close();
        controller.enqueue(new TextEncoder().encode('z'.repeat(300)));
        await pause(5);
      },
    });
    const response = await post(endless, { duplex: 'half' });
    answered = true;
    expect(response.status).toBe(413);
  });

  it('answers 400 when a body stalls, and closes the connection', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{"a"',
    );
    let received = '';
    socket.on('data', (bytes) => {
      received += String(bytes);
    });
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
    expect(received).toContain('stalled');
  });

  it('reads a stream to its end when the client leaves, so that the call settles', async () => {
    const before = finishedStreams;
    const response = await fetch(url);
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    for (let waited = 0; waited < 50 && finishedStreams === before; waited += 1) await pause(20);
    expect(finishedStreams).toBe(before + 1);
  });

  it('sends chunks as they are made', async () => {
    const response = await fetch(url);
    const reads: string[] = [];
    for await (const chunk of response.body ?? []) reads.push(new TextDecoder().decode(chunk));
    expect(reads.join('')).toBe('chunk 1\nchunk 2\nchunk 3\nchunk 4\nchunk 5\n');
    expect(reads.length).toBeGreaterThan(1);
  });
});
