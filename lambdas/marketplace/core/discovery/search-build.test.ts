import { describe, expect, it } from '@jest/globals';
import type { Page } from '../../../platform/core/api/paging.ts';
import { KNOWN } from '../../testing/discovery/relevance.ts';
import type { ListingRecord } from '../listings/follow.ts';
import type { Listing } from '../listings/listing.ts';
import { type IndexStore, indexChanges, updateIndex } from './search-build.ts';
import { SearchIndex } from './search-index.ts';
import type { StoredIndex } from './search-source.ts';

const DAY_MS = 24 * 3600 * 1000;

const LISTINGS: readonly Listing[] = KNOWN.map(({ tags, ...document }) => ({
  ...document,
  slug: document.id,
  tags: tags.split(' '),
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
  created: 0,
  updated: 0,
}));
const [first, second, third] = LISTINGS;
if (first === undefined || second === undefined || third === undefined) throw new Error('too few listings');

const added = (listing: Listing): ListingRecord => ({
  type: 'listing',
  id: listing.id,
  before: undefined,
  after: listing,
});
const removed = (listing: Listing): ListingRecord => ({
  type: 'listing',
  id: listing.id,
  before: listing,
  after: undefined,
});

/** A store and a table of listings in memory. */
class Platform implements IndexStore {
  nowMs = 1_000 * DAY_MS;
  stored: StoredIndex | undefined;
  table: readonly Listing[] = [];
  builds = 0;
  writes = 0;
  /** Runs before each write. */
  beforeWrite: () => Promise<void> = async () => {};

  async read() {
    return this.stored;
  }

  async write(index: StoredIndex) {
    await this.beforeWrite();
    if (index.version !== (this.stored?.version ?? 0) + 1) return undefined;
    this.writes += 1;
    this.stored = index;
    return index.json.length;
  }

  async list({ kind }: { readonly kind: Listing['kind'] }): Promise<Page<Listing>> {
    if (kind === 'app') this.builds += 1;
    return { entries: this.table.filter((listing) => listing.kind === kind), next: undefined };
  }

  receive(...records: readonly ListingRecord[]) {
    const dependencies = { store: this, listings: this, clock: () => this.nowMs };
    return updateIndex(dependencies, indexChanges(records));
  }

  get ids(): readonly string[] {
    return this.stored === undefined ? [] : SearchIndex.parse(this.stored.json).search({ q: '' });
  }
}

const idsOf = (...listings: readonly Listing[]) =>
  listings
    .map(({ id }) => id)
    .toSorted()
    .toReversed();

describe('the stored search index', () => {
  it('contains the table and the batch after the first change, and the changes of each further batch', async () => {
    const platform = new Platform();
    platform.table = [first];
    await platform.receive(added(second));
    expect(platform.ids).toEqual(idsOf(first, second));
    await platform.receive(added(third), removed(first));
    expect(platform.ids).toEqual(idsOf(second, third));
    expect(platform.builds).toBe(1);
  });

  it('stays unchanged unless a searched field changes, also for an empty table', async () => {
    const platform = new Platform();
    const install: ListingRecord = { ...added(first), before: first } as ListingRecord;
    expect(await platform.receive({ type: 'install' }, { type: 'other' }, install)).toBeUndefined();
    expect(platform.stored).toBeUndefined();
    expect(await platform.receive(removed(first))).toMatchObject({ listings: 0 });
    expect(platform.ids).toEqual([]);
  });

  it('keeps its version if a batch is received again', async () => {
    const platform = new Platform();
    const batch = [added(first), added(second), removed(second)];
    await platform.receive(...batch);
    await platform.receive(...batch.slice(0, 1));
    expect(await platform.receive(removed(second))).toEqual({ listings: 1, bytes: 0 });
    expect([platform.writes, platform.ids]).toEqual([1, [first.id]]);
  });

  it('contains the changes of all batches that are processed at once', async () => {
    const platform = new Platform();
    await platform.receive(added(first));
    let waiting = 2;
    let release = () => {};
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Both have read the same version before either writes.
    platform.beforeWrite = async () => {
      waiting -= 1;
      if (waiting === 0) release();
      await both;
    };
    await Promise.all([platform.receive(added(second)), platform.receive(added(third), removed(first))]);
    expect(platform.ids).toEqual(idsOf(second, third));
  });

  it('includes, a day after its build, a change of the table that no batch contained', async () => {
    const platform = new Platform();
    await platform.receive(added(first), added(second));
    platform.table = [second, third];
    platform.nowMs += DAY_MS - 1;
    await platform.receive(added(second));
    expect(platform.ids).toEqual(idsOf(first, second));
    platform.nowMs += 1;
    await platform.receive(added(second));
    expect(platform.ids).toEqual(idsOf(second, third));
    await platform.receive(added(second));
    expect(platform.builds).toBe(2);
  });
});
