/** The malware protection of the local service with ClamAV, next to the engine that knows the test file alone. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inspectArchive } from '../../lambdas/marketplace/core/builds/inspection.ts';
import { zip } from '../../lambdas/marketplace/testing/archives.ts';
import {
  EICAR,
  HOSTILE_ARCHIVES,
  noise,
  UNSCANNED,
} from '../../lambdas/marketplace/testing/hostile-archives.ts';
import { chooseEngine, type ScanEngine, TEST_SIGNATURE } from '../../tools/local/aws/builds/scan-engine.ts';
import { until } from '../../tools/test-kit/waiting.ts';
import { oneService } from '../system/one-service.ts';
import { Owner } from '../system/owner.ts';
import { receiveEvents } from '../system/platform/verified-events.ts';
import { MAX_STREAM_BYTES, socketIn, startClamd, THREAT } from './clamd.ts';

const folder = mkdtempSync(join(tmpdir(), 'clamav-ring-'));
let stopClamd: () => Promise<void>;
let clamav: ScanEngine;

beforeAll(async () => {
  stopClamd = await startClamd(folder);
  clamav = chooseEngine(socketIn(folder));
});
const service = oneService({ COMPUTE: 'host', WEBHOOK_ALLOW_LOOPBACK: '1', CLAMD_SOCKET: socketIn(folder) });
afterAll(async () => {
  await stopClamd();
  rmSync(folder, { recursive: true });
});

const MIB = 1024 * 1024;
const CLEAN = { status: 'NO_THREATS_FOUND', threats: [] };
const INFECTED = { status: 'THREATS_FOUND', threats: [THREAT] };
const eicar = { name: 'eicar.com', content: EICAR };
const readme = { name: 'README.md', content: Buffer.from('# An app\n') };

describe('the scanner ClamAV', () => {
  it.each([
    ['a zip', zip([readme])],
    ['an empty zip', zip([])],
    ['nested archives', zip([{ name: 'a.zip', content: zip([{ name: 'b.zip', content: zip([readme]) }]) }])],
    ['many megabytes of noise', zip([{ name: 'noise', content: noise(20 * MIB), method: 0 }])],
  ])('passes %s, as the test signature does', async (_, file) => {
    expect(await clamav.scan(file)).toEqual(CLEAN);
    expect(await TEST_SIGNATURE.scan(file)).toEqual(CLEAN);
    expect(await inspectArchive(file)).not.toHaveProperty('reason');
  });

  it.each([
    ['by itself', EICAR],
    ['in a zip', zip([readme, eicar])],
    ['in a zip in a zip', zip([readme, { name: 'a.zip', content: zip([eicar]) }])],
    // Two chunks of the protocol have a part of it each.
    ['at the seam of two chunks', Buffer.concat([noise(MIB - 30), EICAR, noise(MIB)])],
  ])('finds the test file %s, as the test signature does', async (_, file) => {
    expect(await clamav.scan(file)).toEqual(INFECTED);
    expect(await TEST_SIGNATURE.scan(file)).toMatchObject({ status: 'THREATS_FOUND' });
  });

  it('reports encryption as unsupported, which the test signature does not detect', async () => {
    const file = zip([readme, { ...eicar, flags: 1 }]);
    expect(await clamav.scan(file)).toEqual({ status: 'UNSUPPORTED', threats: [] });
    expect(await TEST_SIGNATURE.scan(file)).toEqual(CLEAN);
  });

  it('rejects a file above its size limit, and scans the next one', async () => {
    await expect(clamav.scan(noise(MAX_STREAM_BYTES + 1))).rejects.toThrow();
    expect(await clamav.scan(EICAR)).toEqual(INFECTED);
  });

  it('scans many files at once, each with its result', async () => {
    const files = Array.from({ length: 20 }, (_, index) => zip([index % 2 === 0 ? readme : eicar]));
    const results = await Promise.all(files.map((file) => clamav.scan(file)));
    expect(results).toEqual(files.map((_, index) => (index % 2 === 0 ? CLEAN : INFECTED)));
  });
});

describe('a hostile archive', () => {
  it('passes ClamAV if it is one of those that need the inspection, which alone rejects it', async () => {
    for (const { title, file, reason } of UNSCANNED) {
      const archive = file();
      expect([title, await clamav.scan(archive)]).toEqual([title, CLEAN]);
      expect([title, await inspectArchive(archive)]).toEqual([title, expect.objectContaining({ reason })]);
    }
  });

  it('fails the inspection, also if it passes ClamAV', async () => {
    const passed: string[] = [];
    for (const { title, file } of HOSTILE_ARCHIVES) {
      const archive = file();
      const { status } = await clamav.scan(archive).catch(() => ({ status: 'FAILED' }));
      expect([title, (await inspectArchive(archive)).reason]).toEqual([title, expect.any(String)]);
      if (status === 'NO_THREATS_FOUND') passed.push(title);
    }
    expect(passed.length).toBeGreaterThan(UNSCANNED.length);
    expect(passed.length).toBeLessThan(HOSTILE_ARCHIVES.length);
  });
});

describe('a build of the service', () => {
  it.each([
    ['clean', zip([readme]), { verdict: 'clean', threats: [] }],
    ['infected', zip([readme, eicar]), { verdict: 'infected', threats: [THREAT] }],
    [
      'unsupported if ClamAV misses its threat',
      UNSCANNED[0]?.file(),
      { verdict: 'unsupported', reason: 'zip64' },
    ],
  ])('becomes %s after the scan by ClamAV, and its event names the result', async (_, file, data) => {
    const body = file ?? Buffer.alloc(0);
    const owner = await Owner.open(service);
    const receiver = await receiveEvents(owner, ['app.build.scanned']);
    const fields = { name: `App ${owner.id}`, summary: 'One.', category: 'tools' };
    const { id } = (await (await owner.send('POST', '/apps', fields)).json()) as { readonly id: string };
    const sha256 = createHash('sha256').update(body).digest('hex');
    const created = await owner.send('POST', `/apps/${id}/builds`, {
      filename: 'a.zip',
      size: body.length,
      sha256,
    });
    const { upload } = (await created.json()) as { readonly upload: RequestInit & { readonly url: string } };
    const { url, ...init } = upload;
    const uploaded = await fetch(url, { ...init, body: new Uint8Array(body) });
    expect(uploaded.status).toBe(200);
    const events = await until(
      async () => receiver.events,
      ({ length }) => length > 0,
    );
    receiver.close();
    expect(events).toMatchObject([{ data: { ...data, engine: { name: 'clamav' } } }]);
  });
});
