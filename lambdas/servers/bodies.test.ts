import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '../../tools/test-kit/waiting.ts';
import { ServiceError } from '../platform/core/errors.ts';
import { readJson } from '../platform/core/json/json-body.ts';
import { jsonResponse } from '../platform/core/json/json-response.ts';
import { type BodyBudget, SharedBytes } from '../platform/http/body-budget.ts';
import { NodeHost } from '../platform/http/node-host.ts';
import { createRequestHandler } from '../platform/http/request-handler.ts';
import { JSON_BODIES } from './bodies.ts';

const MB = 1024 * 1024;

const ACCOUNTS = 20;
const BODIES = 127;
const BODY_BYTES = 128 * 1024 - 1;

/** The bodies wait for the test, on a machine of any speed. */
const NO_LIMITS = { idleMs: 600_000, totalMs: 600_000, minRate: { bytesPerSecond: 0, overMs: 600_000 } };

const open: { destroy(): unknown }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.destroy();
});

/** Starts a host on which only the account `paid` has credit, and returns its port. */
async function startHost(budget: BodyBudget): Promise<number> {
  const handler = createRequestHandler(
    async (request, { body }) => {
      const account = request.headers.get('x-account') ?? '';
      const needsCredit = body?.claim(account);
      if (needsCredit && account !== 'paid') throw new ServiceError('insufficient_credit', 'No credit.');
      await readJson(request);
      return jsonResponse({});
    },
    'openai',
    {
      clock: Date.now,
      after: () => () => {},
      ulid: () => '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      log: { info: () => {}, warn: () => {}, error: () => {} },
    },
  );
  const { server } = new NodeHost({
    resolve: () => ({ handler, pathParameters: {}, body: { ...JSON_BODIES, ...NO_LIMITS, budget } }),
    clock: Date.now,
    callMs: 60_000,
    maxCalls: 1_000,
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  open.push({ destroy: () => server.closeAllConnections() }, { destroy: () => server.close() });
  return (server.address() as AddressInfo).port;
}

/** Sends a body but for its last byte. Returns its status so far. */
function holdBody(port: number, account: string, bytes: number): () => string | undefined {
  let received = '';
  const socket: Socket = connect(port, '127.0.0.1').on('error', () => {});
  open.push(socket);
  socket.on('data', (data) => {
    received += String(data);
  });
  socket.write(
    `POST / HTTP/1.1\r\nhost: localhost\r\nx-account: ${account}\r\ncontent-type: application/json\r\n` +
      `content-length: ${bytes}\r\n\r\n"${'a'.repeat(bytes - 2)}`,
  );
  return () => /^HTTP\/1\.1 (\d+)/.exec(received)?.[1];
}

/** An eighth of the sizes that the host has. */
const budgetOf = (parts: Partial<BodyBudget>): BodyBudget => ({
  arriving: new SharedBytes(16 * MB),
  slow: new SharedBytes(16 * MB),
  larger: new SharedBytes(14 * MB),
  unproven: new SharedBytes(3 * MB),
  complete: new SharedBytes(16 * MB),
  afterSending: 1 / 4,
  ...parts,
});

async function attack(parts: Partial<BodyBudget>) {
  const port = await startHost(budgetOf(parts));
  const hold = (at: number) => holdBody(port, `poor ${at % ACCOUNTS}`, at < BODIES ? BODY_BYTES : 64 * 1024);
  const bodies = Array.from({ length: BODIES + 2 * ACCOUNTS }, (_, at) => hold(at));
  const statuses = () => bodies.map((status) => status());
  const repeatRejected = () => {
    for (const [at, status] of bodies.entries()) if (status() !== undefined) bodies[at] = hold(at);
  };
  const call = async (bytes: number) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-account': 'paid' },
      body: `"${'a'.repeat(bytes)}"`,
    });
    return response.status;
  };
  return { statuses, repeatRejected, call };
}

describe('the bodies of twenty accounts without credit that do not end', () => {
  it('fail with 402 beyond their part, and keep out no call of another account, of whatever size', async () => {
    const { statuses, call } = await attack({});
    const rejected = await until(statuses, (all) => all.filter((status) => status === '402').length >= 100);
    expect(rejected.filter((status) => status !== undefined && status !== '402')).toEqual([]);
    for (const bytes of [10, BODY_BYTES, 4 * MB]) expect(await call(bytes)).toBe(200);
  });

  it('keep others out if their part is not limited', async () => {
    const old = { larger: new SharedBytes(16 * MB), unproven: new SharedBytes(1024 * MB) };
    const { statuses, repeatRejected, call } = await attack(old);
    const kept = async () => {
      repeatRejected();
      return call(BODY_BYTES);
    };
    expect(await until(kept, (status) => status === 503)).toBe(503);
    expect(statuses()).not.toContain('402');
  });
});
