import { createHash } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startDatabase, type TestDatabase } from '../../../../tools/test-kit/engine.ts';
import { SILENT } from '../../../ledger/testing/running-ledger.ts';
import { QUOTAS } from '../../../platform/core/api/quotas.ts';
import { systemUlid } from '../../../platform/system/system.ts';
import {
  AWAIT_SECONDS,
  type Build,
  KEEP_SECONDS,
  MAX_SCAN_REQUESTS,
  SCAN_SECONDS,
} from '../../core/builds/build.ts';
import { createBuild, getBuild } from '../../core/builds/builds.ts';
import { downloadArtifact, release, rollback } from '../../core/builds/releases.ts';
import { type ObjectScan, processDueBuild, recordScan, recordUpload } from '../../core/builds/scans.ts';
import { newListing } from '../../core/listings/fields.ts';
import { Listings } from '../../core/listings/listings.ts';
import { zip } from '../../testing/archives.ts';
import { EICAR, UNSCANNED } from '../../testing/hostile-archives.ts';
import { DynamoListingStore } from '../listings/listing-store.ts';
import { DynamoBuildStore } from './build-store.ts';
import { createReleaseStore } from './release-store.ts';

let database: TestDatabase;
let nowSeconds = 1_800_000_000;
const clock = () => nowSeconds * 1000;
const system = { clock, ulid: systemUlid };

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

/** The objects of the bucket, by the id of the build. */
const uploads = new Map<string, Buffer>();
const artifacts = new Map<string, Buffer>();

const files = {
  read: async ({ id, size }: Build) => {
    const file = uploads.get(id);
    return file?.length === size ? file : undefined;
  },
  publish: async ({ id }: Build, file: Buffer) => void artifacts.set(id, file),
  remove: async ({ id }: Build) => void artifacts.delete(id),
};

const FILE = zip([{ name: 'README.md', content: Buffer.from('# An app') }]);
const account = () => `acc_${systemUlid()}`;

function world() {
  const store = new DynamoBuildStore(database.client, database.tables);
  const listings = new Listings({
    store: new DynamoListingStore(database.client, database.tables.listings),
    ...system,
  });
  const signer = {
    upload: async () => ({ url: 'https://bucket', headers: {} }),
    download: async () => 'https://bucket',
  };
  const scans = { ...system, store, files, log: SILENT, engine: 'guardduty' };
  const releases = {
    ...system,
    listings,
    signer,
    store: createReleaseStore(database.client, database.tables, clock),
    builds: store,
    isEntitled: async () => false,
  };
  return {
    store,
    listings,
    scans,
    releases,
    builds: { ...system, store, listings, signer, isEnabled: true },
  };
}

async function listed(fields: object = {}) {
  const accountId = account();
  const body = newListing.parse({
    name: `App ${systemUlid()}`,
    summary: 'One.',
    category: 'tools',
    ...fields,
  });
  const { id } = await world().listings.create('app', accountId, body);
  return { kind: 'app' as const, id, accountId };
}

async function uploaded(file: Buffer = FILE, request?: Awaited<ReturnType<typeof listed>>) {
  const of = request ?? (await listed());
  const sha256 = createHash('sha256').update(file).digest('hex');
  const { build } = await createBuild(world().builds, of, { filename: 'app.zip', size: file.length, sha256 });
  uploads.set(build.id, file);
  return { of, build };
}

const scanOf = (build: Build, result: ObjectScan['result'] = 'NO_THREATS_FOUND', threats: string[] = []) =>
  recordScan(world().scans, { listingId: build.listingId, id: build.id, result, threats });

const found = async (build: Build): Promise<Build> => {
  const current = await world().store.find(build);
  if (current === undefined) throw new Error('the build is missing');
  return current;
};

/** The events about a build, which wait to be published. */
async function eventsOf({ listingId, id }: Build): Promise<readonly Record<string, unknown>[]> {
  const { Items: items = [] } = await database.client.send(
    new QueryCommand({
      TableName: database.tables.listings,
      KeyConditionExpression: 'listing_id = :listing AND begins_with(#item, :event)',
      ExpressionAttributeNames: { '#item': 'item' },
      ExpressionAttributeValues: { ':listing': { S: listingId }, ':event': { S: 'event#' } },
    }),
  );
  return items
    .filter(({ type }) => type?.S === 'app.build.scanned')
    .map((item) => JSON.parse(item.data?.S ?? '{}') as Record<string, unknown>)
    .filter((data) => data.build_id === id);
}

const codeOf = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => 'done',
    (failure) => failure.code,
  );

describe('a build', () => {
  it('becomes clean after its upload and its verdict in any order, each repeated, with one event', async () => {
    for (const order of ['uvv', 'vu', 'vuvu', 'uuv']) {
      const { build } = await uploaded();
      for (const step of order) {
        if (step === 'u') await recordUpload(world().scans, build);
        else await scanOf(build);
      }
      expect(await found(build)).toMatchObject({ status: 'clean', dueAt: nowSeconds + KEEP_SECONDS });
      expect(artifacts.get(build.id)).toEqual(FILE);
      expect(await eventsOf(build)).toEqual([
        expect.objectContaining({ verdict: 'clean', engine: { name: 'guardduty' } }),
      ]);
    }
  });

  it('publishes one event for many concurrent verdicts', async () => {
    const { build } = await uploaded();
    await Promise.all(Array.from({ length: 5 }, () => scanOf(build)));
    expect(await eventsOf(build)).toHaveLength(1);
  });

  it.each(UNSCANNED)('becomes unsupported although the scanner passes $title', async ({ file, reason }) => {
    const archive = file();
    const { build } = await uploaded(archive);
    await scanOf(build);
    expect(await found(build)).toMatchObject({ status: 'unsupported', reason });
    expect(artifacts.has(build.id)).toBe(false);
  });

  it('becomes infected, with the names of the threats', async () => {
    const { build } = await uploaded(EICAR);
    await scanOf(build, 'THREATS_FOUND', ['EICAR-Test-File']);
    expect(await found(build)).toMatchObject({ status: 'infected', threats: ['EICAR-Test-File'] });
  });

  it('fails if the object was replaced between the scan and the promotion', async () => {
    const { build } = await uploaded();
    const other = Buffer.from(FILE);
    other[other.length - 1] = 1;
    uploads.set(build.id, other);
    await scanOf(build);
    expect(await found(build)).toMatchObject({ status: 'failed', reason: 'digest' });
    expect(artifacts.get(build.id)).not.toEqual(other);
  });

  it('expires without an upload, and a later verdict changes nothing', async () => {
    const { build } = await uploaded();
    const scanner = { request: async () => 'no upload' as const };
    await processDueBuild({ ...world().scans, scanner, isListed: async () => true }, build);
    expect(await found(build)).toMatchObject({ status: 'awaiting_upload' });
    nowSeconds += AWAIT_SECONDS;
    await processDueBuild({ ...world().scans, scanner, isListed: async () => true }, build);
    await scanOf(build);
    expect(await found(build)).toMatchObject({ status: 'expired' });
    expect(await eventsOf(build)).toEqual([]);
  });

  it('requests another scan if no result arrives, three times, and fails then', async () => {
    const { build } = await uploaded();
    await recordUpload(world().scans, build);
    let requests = 0;
    const scanner = {
      async request() {
        requests += 1;
        return 'requested' as const;
      },
    };
    for (let attempt = 0; attempt <= MAX_SCAN_REQUESTS; attempt += 1) {
      await scanOf(build, attempt % 2 === 0 ? 'FAILED' : 'ACCESS_DENIED');
      nowSeconds += SCAN_SECONDS;
      await processDueBuild({ ...world().scans, scanner, isListed: async () => true }, build);
    }
    expect(requests).toBe(MAX_SCAN_REQUESTS);
    expect(await found(build)).toMatchObject({ status: 'failed', reason: 'scanner' });
    expect(await eventsOf(build)).toHaveLength(1);
  });

  it('belongs only to its listing and to the owner of that', async () => {
    const { of, build } = await uploaded();
    const other = await listed();
    expect(await codeOf(getBuild(world().builds, other, build.id))).toBe('not_found');
    expect(await codeOf(getBuild(world().builds, { ...of, accountId: other.accountId }, build.id))).toBe(
      'not_owner',
    );
    expect((await world().store.list(of.id, { limit: 10 })).entries).toEqual([build]);
  });

  it('counts against the quotas of the day and of bytes, which a useless build returns', async () => {
    const of = await listed();
    const create = (size: number) =>
      codeOf(createBuild(world().builds, of, { filename: 'app.zip', size, sha256: '0'.repeat(64) }));
    const max = QUOTAS.builds_per_account_per_day;
    const results = await Promise.all(Array.from({ length: max + 3 }, () => create(1)));
    expect(results.filter((result) => result === 'done')).toHaveLength(max);
    expect(await create(1)).toBe('build_quota');
    nowSeconds += 86_400;
    expect(await create(QUOTAS.build_bytes_per_account - max)).toBe('done');
    expect(await create(1)).toBe('build_quota');
    const [largest] = (await world().store.list(of.id, { limit: 1 })).entries;
    if (largest === undefined) throw new Error('the build is missing');
    await scanOf(largest, 'UNSUPPORTED');
    expect(await create(1)).toBe('done');
  });

  it('needs a scanner', async () => {
    const body = { filename: 'app.zip', size: 1, sha256: '0'.repeat(64) };
    const create = createBuild({ ...world().builds, isEnabled: false }, await listed(), body);
    expect(await codeOf(create)).toBe('builds_disabled');
  });
});

const releaseOf = (request: Awaited<ReturnType<typeof listed>>, version: string, build_id?: string) =>
  release(world().releases, request, { version, notes: '', build_id });

describe('an artifact', () => {
  const due = (build: Build) => {
    nowSeconds += KEEP_SECONDS;
    const scanner = { request: async () => 'requested' as const };
    const isListed = async (id: string) => (await world().listings.find(id)) !== undefined;
    return processDueBuild({ ...world().scans, scanner, isListed }, build);
  };

  it('disappears 30 days after the scan if no release offers it', async () => {
    const { of, build } = await uploaded();
    await scanOf(build);
    expect(artifacts.has(build.id)).toBe(true);
    await due(build);
    expect(artifacts.has(build.id)).toBe(false);
    expect(await found(build)).toMatchObject({ status: 'expired', dueAt: undefined });
    expect(await codeOf(releaseOf(of, '1.1.0', build.id))).toBe('conflict');
  });

  it('stays while its listing exists, and disappears 30 days after a check finds no listing', async () => {
    const { of, build } = await uploaded();
    await scanOf(build);
    await releaseOf(of, '1.1.0', build.id);
    for (let month = 0; month < 3; month += 1) await due(build);
    expect(await found(build)).toMatchObject({ status: 'clean', released: true });
    await world().listings.remove(of, () => true);
    await due(build);
    expect(artifacts.has(build.id)).toBe(true);
    await due(build);
    expect(artifacts.has(build.id)).toBe(false);
    expect(await found(build)).toMatchObject({ status: 'expired', dueAt: undefined });
  });

  it('disappears after 30 days in quarantine, and its build stays infected', async () => {
    const { build } = await uploaded();
    await scanOf(build);
    await scanOf(build, 'THREATS_FOUND', ['Late']);
    await due(build);
    expect(artifacts.has(build.id)).toBe(false);
    expect(await found(build)).toMatchObject({ status: 'infected', dueAt: undefined });
  });
});

describe('a release', () => {
  it('offers a clean build of its listing, and no other', async () => {
    const { of, build } = await uploaded();
    expect(await codeOf(releaseOf(of, '1.1.0', build.id))).toBe('conflict');
    await scanOf(build);
    expect(await codeOf(releaseOf(await listed(), '1.1.0', build.id))).toBe('not_found');
    expect(await releaseOf(of, '1.1.0', build.id)).toMatchObject({
      build: { id: build.id, sha256: build.sha256 },
    });
    const download = await downloadArtifact(world().releases, { ...of, accountId: account() }, '1.1.0');
    expect(download).toMatchObject({ digest: `sha256:${build.sha256}`, size: FILE.length });
    expect(await codeOf(downloadArtifact(world().releases, of, '1.0.0'))).toBe('not_found');
  });

  it('fails if a rescan finds the build infected meanwhile', async () => {
    const { of, build } = await uploaded();
    await scanOf(build);
    const racing = {
      ...world().releases,
      builds: {
        async find() {
          const clean = await found(build);
          await scanOf(build, 'THREATS_FOUND', ['Late']);
          return clean;
        },
      },
    };
    const run = release(racing, of, { version: '1.1.0', notes: '', build_id: build.id });
    expect(await codeOf(run)).toBe('conflict');
  });

  it('goes into quarantine after a later verdict, with a second event, and cannot be rolled back to', async () => {
    const { of, build } = await uploaded();
    await scanOf(build);
    await releaseOf(of, '1.1.0', build.id);
    await releaseOf(of, '1.2.0');
    for (let repetition = 0; repetition < 2; repetition += 1) await scanOf(build, 'THREATS_FOUND', ['Late']);
    const verdicts = (await eventsOf(build)).map(({ verdict, previous }) => [verdict, previous]);
    expect(verdicts.toSorted()).toEqual([
      ['clean', undefined],
      ['infected', { status: 'clean' }],
    ]);
    expect(await codeOf(downloadArtifact(world().releases, of, '1.1.0'))).toBe('build_quarantined');
    expect(await codeOf(rollback(world().releases, of, '1.1.0'))).toBe('conflict');
    expect(await codeOf(rollback(world().releases, of, '1.0.0'))).toBe('done');
  });

  it('serves the build of a listing that is not free to its owner and its buyers alone', async () => {
    const plan = { id: 'pro', name: 'Pro', interval: 'month', amount: 499, currency: 'USD' };
    const subscribed = await listed({ plans: [plan] });
    const stranger = { ...subscribed, accountId: account() };
    expect(await codeOf(downloadArtifact(world().releases, stranger, '1.0.0'))).toBe('not_owner');
    const paid = await listed({ price: { amount: 500, currency: 'USD' } });
    const { build } = await uploaded(FILE, paid);
    await scanOf(build);
    await releaseOf(paid, '1.1.0', build.id);
    const visitor = { ...paid, accountId: account() };
    expect(await codeOf(downloadArtifact(world().releases, paid, '1.1.0'))).toBe('done');
    expect(await codeOf(downloadArtifact(world().releases, visitor, '1.1.0'))).toBe('not_owner');
    expect(
      await codeOf(downloadArtifact({ ...world().releases, isEntitled: async () => true }, visitor, '1.1.0')),
    ).toBe('done');
  });
});
