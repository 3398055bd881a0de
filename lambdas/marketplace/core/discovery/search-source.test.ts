import { describe, expect, it } from '@jest/globals';
import { KNOWN } from '../../testing/discovery/relevance.ts';
import { SearchIndex } from './search-index.ts';
import { createSearchSource, type SearchStore, type StoredIndex } from './search-source.ts';

/** A store and a clock of the test's own. */
class Platform implements SearchStore {
  nowMs = 1_000_000;
  /** Reads of a whole index. */
  reads = 0;
  broken = false;
  readonly log: string[] = [];
  #stored: StoredIndex | undefined;

  readonly source = createSearchSource({
    store: this,
    clock: () => this.nowMs,
    log: {
      info: () => {},
      warn: () => {},
      error: (message) => {
        this.log.push(message);
      },
    },
  });

  /** Stores a version with the first listings. */
  async write(listings: number): Promise<void> {
    const index = SearchIndex.empty();
    for (const document of KNOWN.slice(0, listings)) index.apply({ document });
    this.#stored = { version: (this.#stored?.version ?? 0) + 1, builtMs: 0, json: await index.serialize() };
  }

  async read(knownVersion?: number) {
    if (this.broken) throw new Error('no database');
    if (this.#stored === undefined || this.#stored.version === knownVersion) return undefined;
    this.reads += 1;
    return this.#stored;
  }

  async size(): Promise<number> {
    return (await this.source()).size;
  }
}

describe('the index from which a search function responds', () => {
  it('starts empty, and follows each stored version in the background, with one read', async () => {
    const platform = new Platform();
    expect(await platform.size()).toBe(0);
    for (const listings of [1, 2]) {
      await platform.write(listings);
      platform.nowMs += 500;
      expect(await platform.size()).toBe(listings - 1);
      platform.nowMs += 1_000;
      expect(await platform.size()).toBe(listings - 1);
      await new Promise((resolve) => setImmediate(resolve));
      expect(await platform.size()).toBe(listings);
      platform.nowMs += 6_000;
      expect(await platform.size()).toBe(listings);
      expect(platform.reads).toBe(listings);
    }
  });

  it('refreshes before the response after a long pause', async () => {
    const platform = new Platform();
    expect(await platform.size()).toBe(0);
    await platform.write(1);
    platform.nowMs += 60_000;
    expect(await platform.size()).toBe(1);
  });

  it('continues to serve its current content while the database is unreachable, and reports this', async () => {
    const platform = new Platform();
    await platform.write(1);
    expect(await platform.size()).toBe(1);
    await platform.write(2);
    platform.broken = true;
    platform.nowMs += 60_000;
    expect(await platform.size()).toBe(1);
    expect(platform.log).toEqual(['search index refresh failed']);
    platform.broken = false;
    expect(await platform.size()).toBe(2);
  });

  it('recovers at the next request if the first read failed', async () => {
    const platform = new Platform();
    await platform.write(1);
    platform.broken = true;
    await expect(platform.size()).rejects.toThrow('no database');
    platform.broken = false;
    expect(await platform.size()).toBe(1);
  });
});
