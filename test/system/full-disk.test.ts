/**
 * The walk of an operator over a full disk, a second start and a kill; the catalog, the secrets and the settings of a start
 * are in `lifecycle.test.ts`. The disk is a file system in memory, in a separate namespace: Linux allows it without
 * privileges, but not in every container.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../../tools/test-kit/waiting.ts';
import { Payer } from './payer.ts';
import { Service } from './service.ts';

const DISK_MB = 12;
const MOUNT = `mount -t tmpfs -o size=${DISK_MB}m none`;
const canMount = spawnSync('unshare', ['-Urm', 'sh', '-c', `${MOUNT} /mnt`]).status === 0;
const describeDisk = canMount ? describe : describe.skip;

describeDisk('a service whose disk fills up', () => {
  /** Holds expire soon, so that one whose call the disk cut short can be swept. */
  const service = new Service({ HOLD_TTL_SECONDS: '6' });
  /** Has the disk as long as it runs, whatever happens to the service. */
  let holder: ChildProcess;
  let payer: Payer;
  let view = '';

  const chat = async () => {
    const response = await payer.post('/v1/chat/completions', {
      model: 'sim/chat',
      messages: [{ role: 'user', content: 'Hi' }],
    });
    const body = (await response.json()) as { readonly error?: { readonly code: string } };
    return body.error?.code ?? 'completed';
  };

  /** Asserts that nothing is held once what expired is swept, and that the balance lacks the recorded costs alone. */
  async function expectExactBooks(): Promise<void> {
    const { balance } = await until(
      async () => {
        await service.admin('sweep');
        return payer.wallet();
      },
      ({ held }) => held === 0,
    );
    const response = await service.fetch('/v1/usage?limit=100', { key: payer.key });
    const { data } = (await response.json()) as { readonly data: readonly { readonly cost: number }[] };
    const costs = data.map(({ cost }) => Math.round(cost * 1e9));
    expect(balance).toBe(costs.reduce((rest, cost) => rest - cost, 1e9));
    expect(await service.audit()).toMatchObject({ exact: true, drift: 0, held: 0 });
  }

  beforeAll(async () => {
    holder = spawn(
      'unshare',
      ['-Urm', 'sh', '-c', `${MOUNT} "$0" && echo mounted && exec sleep 3600`, service.directory],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    if (holder.stdout !== null) await once(holder.stdout, 'data');
    view = `/proc/${holder.pid}/root${service.directory}`;
    const namespaces = [
      '-t',
      String(holder.pid),
      '-U',
      '-m',
      '--preserve-credentials',
      `--wd=${process.cwd()}`,
    ];
    service.disk = { command: ['nsenter', ...namespaces], view };
    await service.start();
    payer = await Payer.open(service, '1');
  });

  afterAll(async () => {
    await service.dispose();
    holder?.kill();
  });

  it('rejects paid calls with 503, says why in its log, and keeps responding', async () => {
    expect(await chat()).toBe('completed');
    const filler = openSync(join(view, 'filler'), 'w');
    for (const size of [1 << 20, 4_096])
      for (let written = size; written === size; ) {
        try {
          written = writeSync(filler, Buffer.alloc(size));
        } catch {
          written = 0;
        }
      }
    closeSync(filler);
    expect(await until(chat, (code) => code !== 'completed')).toBe('overloaded');
    expect(service.output).toContain('database or disk is full');
    // Both only read.
    for (const path of ['/v1/models', '/health'])
      expect((await service.fetch(path, { key: null })).status).toBe(200);
  });

  it('serves again once there is space, and holds and charges nothing for what it rejected', async () => {
    rmSync(join(view, 'filler'));
    await until(chat, (code) => code === 'completed');
    await expectExactBooks();
  });

  it('keeps exact books through a kill and another start', async () => {
    await service.stop('SIGKILL');
    await service.start();
    expect(await chat()).toBe('completed');
    await expectExactBooks();
  });
});
