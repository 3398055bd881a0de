/** The control of the inspection: without it, what ClamAV misses becomes a clean build, which anyone may download. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SILENT } from '../../lambdas/ledger/testing/running-ledger.ts';
import type { Build } from '../../lambdas/marketplace/core/builds/build.ts';
import { recordScan } from '../../lambdas/marketplace/core/builds/scans.ts';
import { DynamoBuildStore } from '../../lambdas/marketplace/store/builds/build-store.ts';
import { UNSCANNED } from '../../lambdas/marketplace/testing/hostile-archives.ts';
import { systemUlid } from '../../lambdas/platform/system/system.ts';
import { chooseEngine } from '../../tools/local/aws/builds/scan-engine.ts';
import { startDatabase, type TestDatabase } from '../../tools/test-kit/engine.ts';
import { socketIn, startClamd } from './clamd.ts';

const CORE = '../../lambdas/marketplace/core/builds';
type RecordScan = typeof recordScan;

/** Returns the same function of the same module, except that the inspection accepts every archive. */
async function recordWithoutInspection(): Promise<RecordScan> {
  let loaded: RecordScan | undefined;
  await jest.isolateModulesAsync(async () => {
    jest.doMock(`${CORE}/inspection.ts`, () => ({
      inspectArchive: async () => ({ entries: 0, extracted: 0 }),
    }));
    ({ recordScan: loaded } = (await import(`${CORE}/scans.ts`)) as { readonly recordScan: RecordScan });
  });
  if (loaded === undefined) throw new Error('the module was not loaded');
  return loaded;
}

const folder = mkdtempSync(join(tmpdir(), 'clamav-control-'));
let stopClamd: () => Promise<void>;
let database: TestDatabase;

beforeAll(async () => {
  stopClamd = await startClamd(folder);
  database = await startDatabase();
});
afterAll(async () => {
  await stopClamd();
  await database.stop();
  rmSync(folder, { recursive: true });
});

const UNLIMITED = { perDay: 100, bytes: 1_000_000_000 };

/** Scans the file by ClamAV, records the result; returns the status of the build, and whether it can be downloaded. */
async function statusOf(file: Buffer, record: RecordScan) {
  const store = new DynamoBuildStore(database.client, database.tables);
  const build: Build = {
    listingId: `lst_${systemUlid()}`,
    id: `build_${systemUlid()}`,
    ownerId: 'acc_owner',
    filename: 'app.zip',
    size: file.length,
    sha256: createHash('sha256').update(file).digest('hex'),
    status: 'scanning',
    threats: [],
    requests: 0,
    released: false,
    created: 1_800_000_000,
    version: 1,
  };
  await store.create(build, UNLIMITED);
  const artifacts: Buffer[] = [];
  const files = {
    read: async () => file,
    publish: async (_: Build, published: Buffer) => void artifacts.push(published),
    remove: async () => {},
  };
  const dependencies = { store, files, clock: Date.now, ulid: systemUlid, log: SILENT, engine: 'clamav' };
  const { status: result, threats } = await chooseEngine(socketIn(folder)).scan(file);
  await record(dependencies, { listingId: build.listingId, id: build.id, result, threats });
  return { status: (await store.find(build))?.status, isPublished: artifacts.length > 0 };
}

describe('an archive that ClamAV passes', () => {
  it.each(UNSCANNED)('becomes clean without the inspection: $title', async ({ file }) => {
    const archive = file();
    expect(await statusOf(archive, recordScan)).toEqual({ status: 'unsupported', isPublished: false });
    const record = await recordWithoutInspection();
    expect(await statusOf(archive, record)).toEqual({ status: 'clean', isPublished: true });
  });
});
