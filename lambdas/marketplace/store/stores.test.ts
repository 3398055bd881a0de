import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startDatabase, type TestDatabase } from '../../../tools/test-kit/engine.ts';
import { FAULTS, FailingProcess } from '../../ledger/testing/failing-process.ts';
import { systemUlid } from '../../platform/system/system.ts';
import { updateIndex } from '../core/discovery/search-build.ts';
import { SearchIndex, searchDocument } from '../core/discovery/search-index.ts';
import { updateRankings } from '../core/discovery/trending.ts';
import type { Listing } from '../core/listings/listing.ts';
import { createReleaseStore } from './builds/release-store.ts';
import { DynamoSearchStore } from './discovery/search-store.ts';
import { DynamoTrendingStore } from './discovery/trending-store.ts';
import { createInstallStore, createReviewStore, readReviews } from './installs/action-store.ts';
import { readAcquisitions } from './listings/acquisitions.ts';
import { purgeListing } from './listings/listing-history.ts';
import { DynamoListingStore } from './listings/listing-store.ts';

const NOW = 1_800_000_000;
/** No quota is reached here. */
const MANY = 1_000;

let database: TestDatabase;
let listings: DynamoListingStore;

beforeAll(async () => {
  database = await startDatabase();
  listings = new DynamoListingStore(database.client, database.tables.listings);
});
afterAll(() => database.stop());

let createdCount = 0;
async function listing(overrides: Partial<Listing> = {}): Promise<Listing> {
  createdCount += 1;
  const fresh: Listing = {
    id: `lst_${systemUlid()}`,
    kind: 'app',
    name: `Listing ${createdCount}`,
    slug: `listing-${createdCount}`,
    summary: 'A summary.',
    description: '',
    category: 'tools',
    tags: ['one'],
    version: '1.0.0',
    price: null,
    plans: [],
    url: null,
    iconUrl: null,
    seller: null,
    contact: null,
    ownerId: 'acc_owner',
    installs: 0,
    releases: 1,
    ratings: { sum: 0, count: 0 },
    created: NOW,
    updated: NOW,
    revision: 1,
    ...overrides,
  };
  expect(await listings.create(fresh, `rel_${systemUlid()}`, MANY)).toBe('done');
  return fresh;
}

const event = (type = 'listing.installed') => ({
  id: `evt_${systemUlid()}`,
  type,
  accountId: 'acc_owner',
  data: { listing_id: 'one' },
});

const countOf = async (name: string) => {
  const { entries } = await listings.categories({ limit: 100 });
  return entries.find((entry) => entry.name === name)?.counts.app ?? 0;
};

describe('listings', () => {
  it('retain their fields when they are written and read', async () => {
    const plain = await listing();
    const rich = await listing({
      kind: 'ai-agent',
      price: { amount: 1999, currency: 'USD' },
      url: 'https://example.com/',
      iconUrl: 'https://example.com/icon.png',
      seller: 'Ada & Co.',
      contact: 'help@example.com',
      tags: [],
    });
    expect(await listings.read(plain.id)).toEqual(plain);
    expect(await listings.readMany([rich.id, 'lst_none', plain.id])).toEqual([rich, plain]);
  });

  it('accept one of many concurrent writers of the same state', async () => {
    const from = await listing();
    const results = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        listings.replace(from, { ...from, summary: `Writer ${index}`, revision: 2 }),
      ),
    );
    expect(results.filter((result) => result === 'done')).toHaveLength(1);
    expect(results.filter((result) => result === 'changed')).toHaveLength(15);
  });

  it('use each slug once per kind under concurrent writes', async () => {
    const attempts = await Promise.all(
      Array.from({ length: 8 }, () =>
        listing({ slug: 'contested' }).then(
          () => true,
          () => false,
        ),
      ),
    );
    expect(attempts.filter(Boolean)).toHaveLength(1);
    await listing({ kind: 'ai-agent', slug: 'contested' });
  });

  it('change slug and category together, can lose their price, and change neither if the slug is in use', async () => {
    const countedListing = await listing({ category: 'counted' });
    const from = await listing({ category: 'counted', price: { amount: 1, currency: 'USD' } });
    const to = { ...from, revision: 2, category: 'recounted', price: null, slug: countedListing.slug };
    expect(await listings.replace(from, to)).toBe('slug_taken');
    expect([await countOf('counted'), await countOf('recounted')]).toEqual([2, 0]);
    expect(await listings.replace(from, { ...to, slug: `${from.slug}-moved` })).toBe('done');
    expect([await countOf('counted'), await countOf('recounted')]).toEqual([1, 1]);
    expect(await listings.read(from.id)).toMatchObject({ price: null, category: 'recounted' });
    await listing({ slug: from.slug });
    expect(await listings.remove({ ...to, revision: 1 })).toBe('changed');
    expect(await listings.remove({ ...to, slug: `${from.slug}-moved` })).toBe('done');
    expect([await countOf('counted'), await countOf('recounted')]).toEqual([1, 0]);
  });
});

describe('the storage of installs, reviews and releases', () => {
  it('keeps exact counts under concurrent writes, and deletes installs and reviews with the listing', async () => {
    const { client, tables } = database;
    const listed = await listing();
    const installs = createInstallStore(client, tables);
    const reviews = createReviewStore(client, tables);
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, index) => {
        const accountId = `acc_${index % 10}`;
        return installs.install({ listingId: listed.id, accountId, created: NOW }, listed, event(), MANY);
      }),
    );
    expect(results.filter((result) => result === 'done')).toHaveLength(10);
    for (const rating of [1, 5]) {
      const review = {
        id: `rev_${systemUlid()}`,
        listingId: listed.id,
        accountId: `acc_${rating}`,
        rating,
        text: '',
      };
      expect(await reviews.review({ ...review, created: NOW }, event('review.created'), MANY)).toBe('done');
    }
    expect(await listings.read(listed.id)).toMatchObject({
      installs: 10,
      ratings: { sum: 6, count: 2 },
      revision: 1,
    });
    expect(await listings.remove(listed)).toBe('done');
    await purgeListing(client, tables.listings, listed.id);
    expect(await installs.findInstall(listed.id, 'acc_1')).toBeUndefined();
    expect((await readReviews(client, tables.listings, listed.id, { limit: 10 })).entries).toEqual([]);
    const late = { listingId: listed.id, accountId: 'acc_late', created: NOW };
    expect(await installs.install(late, listed, event(), MANY)).toBe('gone');
  });

  it('remains complete if a listing was restored after its deletion', async () => {
    const { client, tables } = database;
    const listed = await listing();
    const installs = createInstallStore(client, tables);
    const install = { listingId: listed.id, accountId: 'acc_1', created: NOW };
    expect(await installs.install(install, listed, event(), MANY)).toBe('done');
    await purgeListing(client, tables.listings, listed.id);
    expect(await listings.read(listed.id)).toMatchObject({ installs: 1 });
    expect(await installs.findInstall(listed.id, 'acc_1')).toEqual(install);
  });

  it('lists what an account has installed, the newest listing first, in pages, and what is gone as gone', async () => {
    const { client, tables } = database;
    const installs = createInstallStore(client, tables);
    const [first, second] = [await listing(), await listing()];
    for (const listed of [first, second])
      for (const accountId of ['acc_reader', 'acc_neighbor'])
        await installs.install({ listingId: listed.id, accountId, created: NOW }, listed, event(), MANY);
    const page = (after?: string) =>
      readAcquisitions(client, tables.listings, 'acc_reader', { limit: 1, after });
    const { entries, next } = await page();
    expect(entries).toEqual([
      { listingId: second.id, installed: NOW, purchased: undefined, listing: { ...second, installs: 2 } },
    ]);
    expect(await listings.remove(first)).toBe('done');
    expect(await page(next)).toEqual({
      entries: [{ listingId: first.id, installed: NOW, purchased: undefined, listing: undefined }],
      next: undefined,
    });
    expect((await readAcquisitions(client, tables.listings, 'acc_r', { limit: 9 })).entries).toEqual([]);
  });

  it('ranks the listings of a kind by their installs', async () => {
    const { client, tables } = database;
    const store = new DynamoTrendingStore(client, tables.discovery);
    const [one, two] = [await listing({ kind: 'ai-agent' }), await listing({ kind: 'ai-agent' })];
    const installs = createInstallStore(client, tables);
    for (const [listed, count] of [
      [one, 1],
      [two, 3],
    ] as const) {
      for (let index = 0; index < count; index += 1) {
        const install = { listingId: listed.id, accountId: `acc_${index}`, created: NOW - 3600 };
        await installs.install(install, listed, event(), MANY);
      }
    }
    await updateRankings(store, NOW * 1000);
    expect((await store.read('ai-agent', '7d')).map(({ listingId }) => listingId)).toEqual([two.id, one.id]);
    await store.write([{ scope: 'ai-agent', window: '7d', ranked: [] }], NOW * 1000 - 1);
    expect(await store.read('ai-agent', '7d')).toHaveLength(2);
  });

  it('makes a release current once, and only an existing release', async () => {
    const store = createReleaseStore(database.client, database.tables, () => NOW * 1000);
    const listed = await listing();
    const release = (version: string) => ({
      id: `rel_${systemUlid()}`,
      listingId: listed.id,
      version,
      notes: '',
      created: NOW,
    });
    expect(await store.release(release('1.1.0'), listed, event())).toBe('done');
    expect(await store.release(release('1.2.0'), listed, event())).toBe('changed');
    const now = { ...listed, version: '1.1.0', revision: 2 };
    expect(await store.release(release('1.1.0'), now, event())).toBe('repeated');
    expect(await store.find(listed.id, '9.0.0')).toBeUndefined();
    const first = await store.find(listed.id, '1.0.0');
    if (first === undefined) throw new Error('the first release is missing');
    expect(await store.rollback(first, now, event())).toBe('done');
    expect(await listings.read(listed.id)).toMatchObject({ version: '1.0.0', revision: 3 });
  });
});

describe('the stored search index', () => {
  const storeOf = (client = database.client) =>
    new DynamoSearchStore(client, database.tables.discovery, systemUlid);
  const receive = (changed: readonly Listing[], store = storeOf()) =>
    updateIndex(
      { listings, store, clock: Date.now },
      changed.map((each) => ({ document: searchDocument(each) })),
    );
  const found = async (q: string) => SearchIndex.parse((await storeOf().read())?.json ?? '').search({ q });
  const partsOf = async () => {
    const { Items: items = [] } = await database.client.send(
      new QueryCommand({
        TableName: database.tables.discovery,
        KeyConditionExpression: 'part = :index AND entry < :pointer',
        ExpressionAttributeValues: { ':index': { S: 'index' }, ':pointer': { S: 'pointer' } },
      }),
    );
    return items.map(({ entry }) => Number(entry?.S?.slice(0, 10)));
  };

  it('costs one read for each version, and retains the version before it for those that read it', async () => {
    await receive([await listing({ name: 'Widget' })]);
    const before = await storeOf().read();
    expect(await storeOf().read(before?.version)).toBeUndefined();
    const changed = await listing({ name: 'Widget' });
    await receive([changed]);
    const after = await storeOf().read(before?.version);
    expect(after?.version).toBe((before?.version ?? 0) + 1);
    expect(new Set(await partsOf())).toEqual(new Set([before?.version, after?.version]));
    await receive([changed]);
    expect(await storeOf().read(after?.version)).toBeUndefined();
  });

  it('contains a change after the next delivery, wherever a function dies, and then no part that it left', async () => {
    await receive([await listing()]);
    for (const fault of FAULTS)
      for (let at = 1; ; at += 1) {
        const changed = await listing({ name: `Thing ${systemUlid()}` });
        const dying = new FailingProcess(database, new Map([[at, fault]]));
        const isDone = await receive([changed], storeOf(dying.clients.client)).then(
          () => true,
          () => false,
        );
        await receive([changed]);
        await dying.landLate();
        expect(await found(changed.name)).toEqual([changed.id]);
        await receive([await listing()]);
        const { version = 0 } = (await storeOf().read()) ?? {};
        expect(Math.min(...(await partsOf()))).toBe(version - 1);
        if (isDone) break;
      }
  });
});
