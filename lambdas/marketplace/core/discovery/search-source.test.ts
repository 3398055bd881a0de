import { describe, expect, it } from '@jest/globals';
import { KNOWN } from '../../testing/discovery/relevance.ts';
import { type IndexChange, SearchIndex } from './search-index.ts';
import { createSearchSource, type NumberedChange, type SearchStore } from './search-source.ts';

const [first, second] = KNOWN;
if (first === undefined || second === undefined) throw new Error('there are no listings');

/** A store and a clock of the test's own. */
class Platform implements SearchStore {
  nowMs = 1_000_000;
  reads = 0;
  stored: { json: string; sinceMs: number } | undefined;
  broken = false;
  readonly written: (NumberedChange & { readonly atMs: number })[] = [];
  readonly log: string[] = [];

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

  write(change: IndexChange, atMs = this.nowMs): void {
    this.written.push({ id: `${atMs}-${this.written.length}`, change, atMs });
  }

  async read() {
    this.reads += 1;
    return this.stored;
  }

  async *changes(sinceMs: number) {
    if (this.broken) throw new Error('no database');
    yield* this.written.filter(({ atMs }) => atMs >= sinceMs);
  }

  async size(): Promise<number> {
    return (await this.source()).size;
  }
}

describe('the index from which a search function responds', () => {
  it('loads once, then follows the changes in the background', async () => {
    const platform = new Platform();
    const index = SearchIndex.empty();
    index.apply({ document: first });
    platform.stored = { json: index.toJSON(), sinceMs: 0 };
    expect(await platform.size()).toBe(1);
    platform.write({ document: second });
    platform.nowMs += 500;
    expect(await platform.size()).toBe(1);
    platform.nowMs += 1_000;
    expect(await platform.size()).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await platform.size()).toBe(2);
    expect(platform.reads).toBe(1);
  });

  it('refreshes before the response after a long pause', async () => {
    const platform = new Platform();
    expect(await platform.size()).toBe(0);
    platform.write({ document: first });
    platform.nowMs += 60_000;
    expect(await platform.size()).toBe(1);
  });

  it('misses no change that was written shortly before one that it has already applied', async () => {
    const platform = new Platform();
    platform.write({ document: first });
    expect(await platform.size()).toBe(1);
    platform.write({ document: second }, platform.nowMs - 10_000);
    platform.nowMs += 6_000;
    expect(await platform.size()).toBe(2);
  });

  it('leaves a removed listing removed if a change is applied twice', async () => {
    const platform = new Platform();
    platform.write({ document: first });
    expect(await platform.size()).toBe(1);
    platform.write({ removed: first.id });
    for (let readCount = 0; readCount < 4; readCount += 1) {
      platform.nowMs += 6_000;
      expect(await platform.size()).toBe(0);
    }
  });

  it('continues to serve its current content while the database is unreachable, and reports this', async () => {
    const platform = new Platform();
    platform.write({ document: first });
    expect(await platform.size()).toBe(1);
    platform.broken = true;
    platform.nowMs += 60_000;
    expect(await platform.size()).toBe(1);
    expect(platform.log).toEqual(['search index refresh failed']);
  });

  it('reads the stored index again after a day, when changes start to expire', async () => {
    const platform = new Platform();
    await platform.size();
    platform.nowMs += 25 * 3_600_000;
    await platform.size();
    expect(platform.reads).toBe(2);
  });
});
