/** Accounts that hold the memory or the calls of the shared host by bodies that do not end. */
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { onLinux } from '../../../tools/test-kit/on-linux.ts';
import { form, wavOfBytes } from '../../../tools/test-kit/recordings.ts';
import { until } from '../../../tools/test-kit/waiting.ts';
import { memoryOf, processesOf } from '../processes.ts';
import { service } from './service.ts';

const MB = 1024 * 1024;
const CHAT = '/v1/chat/completions';
const TRANSCRIPTIONS = '/v1/audio/transcriptions';

/** Bodies that take longer than 5 s share half of the bytes for those that arrive (`lambdas/servers/bodies.ts`). */
const SLOW_BYTES = 64 * MB;

/** The memory that a host uses in addition: chunks in transit, and garbage. */
const SPARE_MB = 200;

const ACCOUNTS = 10;
const BODIES = 200;

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Sends the head of a request and so many bytes of its body, and returns the status that comes before its end. */
function hold(key: string, path: string, sizes: { readonly declared: number; readonly sent: number }) {
  const { hostname, port } = new URL(service.session.base_url);
  const type = path === CHAT ? 'application/json' : 'multipart/form-data; boundary=b';
  const start =
    path === CHAT ? '{"a":"' : '--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';
  let received = '';
  const socket = connect(Number(port), hostname).on('error', () => {});
  sockets.push(socket);
  socket.on('data', (bytes) => {
    received += String(bytes);
  });
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\ncontent-type: ${type}\r\n` +
      `content-length: ${sizes.declared}\r\n\r\n`,
  );
  if (sizes.sent > 0) socket.write(start + 'a'.repeat(sizes.sent - start.length));
  return { status: () => Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? 0), received: () => received };
}

const largest = { declared: 32 * MB, sent: 32 * MB - 12 };

/** The statuses so far; 0 for a body that is still arriving. */
const statusesOf = (held: readonly { status(): number }[]) => held.map(({ status }) => status());

/**
 * Returns the statuses that a body which does not end may not have: it waits, is rejected as given, or is given up with 400
 * after ten seconds without a byte, which a slow machine reaches before the others have arrived.
 */
const unexpected = (statuses: readonly number[], ...rejections: readonly number[]) =>
  statuses.filter((status) => ![0, 400, ...rejections].includes(status));

const chat = (key: string) =>
  service.chat({ model: 'sim/chat', messages: [{ role: 'user', content: 'Hi' }] }, { key });

/** A key that its account has revoked. */
async function revokedKey(): Promise<string> {
  const { id: account } = await service.account('0');
  const { key, id } = await service.admin<{ key: string; id: string }>('key', 'create', '--account', account);
  await service.admin('key', 'revoke', '--key', id);
  return key;
}

describe('bodies that do not end', () => {
  it('cause 401 under a revoked key before they are complete, and keep no other account out', async () => {
    const [revoked, other] = [await revokedKey(), await service.account('1')];
    const held = Array.from({ length: 3 }, () => hold(revoked, CHAT, largest));
    const statuses = await until(
      () => statusesOf(held),
      (all) => all.every((status) => status !== 0),
    );
    expect(statuses).toEqual([401, 401, 401]);
    expect((await chat(other.key)).status).toBe(200);
  });

  it('use up the share of their account, which receives 429, and no other account’s', async () => {
    const [slow, other] = [await service.account('5'), await service.account('1')];
    // One alone fits: what it lacks is only the end of its JSON.
    const alone = hold(slow.key, CHAT, { declared: largest.declared, sent: largest.declared });
    expect(await until(alone.status, (status) => status !== 0)).toBe(400);
    const held = Array.from({ length: 5 }, () => hold(slow.key, CHAT, largest));
    const statuses = await until(
      () => statusesOf(held),
      (all) => all.filter((status) => status === 429).length >= 3,
    );
    expect(unexpected(statuses, 429)).toEqual([]);
    expect(held.map(({ received }) => received()).join('')).toContain('"body_quota"');
    expect((await chat(other.key)).status).toBe(200);
  });

  onLinux(
    'use bounded memory if two hundred of ten accounts are slow, and keep no other account out',
    async () => {
      const [host = 0] = processesOf(service.session.pid, 'host.mjs');
      const other = await service.account('1');
      const accounts: { readonly key: string }[] = [];
      while (accounts.length < ACCOUNTS) accounts.push(await service.account('5', { tpm: 1_000_000_000 }));
      const before = memoryOf(host);
      const held = accounts.flatMap(({ key }) =>
        Array.from({ length: BODIES / ACCOUNTS }, () => hold(key, CHAT, { declared: 2 * MB, sent: MB })),
      );
      const statuses = await until(
        () => statusesOf(held),
        (all) => all.filter((status) => status === 0).length * MB <= SLOW_BYTES,
      );
      expect(unexpected(statuses, 429, 503)).toEqual([]);
      // Some found no share, so that the bound was met.
      expect(statuses.some((status) => [429, 503].includes(status))).toBe(true);
      expect((await chat(other.key)).status).toBe(200);
      expect(memoryOf(host).nowMb - before.nowMb).toBeLessThan(SLOW_BYTES / MB + SPARE_MB);
    },
  );

  it('fail with 402 beyond the part of twenty accounts without a cent, and keep no other account out', async () => {
    const other = await service.account('1');
    const keys: string[] = [];
    while (keys.length < 20) keys.push((await service.account('0', { tpm: 1_000_000_000 })).key);
    const held = Array.from({ length: 127 }, (_, at) =>
      hold(keys[at % keys.length] ?? '', CHAT, { declared: MB, sent: MB - 1 }),
    );
    const statuses = await until(
      () => statusesOf(held),
      (all) => all.filter((status) => status === 402).length >= 100,
    );
    expect(unexpected(statuses, 402)).toEqual([]);
    expect(statuses.filter((status) => status === 402).length).toBeGreaterThanOrEqual(100);
    for (let calls = 0; calls < 3; calls += 1) expect((await chat(other.key)).status).toBe(200);
  });

  it('leave the files of other accounts their share, if one account sends sixteen of 25 MB', async () => {
    const [slow, other] = [await service.account('5'), await service.account('1')];
    const file = { declared: 25 * MB, sent: 24 * MB };
    const held = Array.from({ length: 16 }, () => hold(slow.key, TRANSCRIPTIONS, file));
    const statuses = await until(
      () => statusesOf(held),
      (all) => all.some((status) => status === 429),
    );
    expect(unexpected(statuses, 429)).toEqual([]);
    const response = await service.fetch(TRANSCRIPTIONS, {
      method: 'POST',
      key: other.key,
      body: form(wavOfBytes(MB), 'short.wav', { model: 'sim/stt' }),
    });
    expect(response.status).toBe(200);
  });
});
