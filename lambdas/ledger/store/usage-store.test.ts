import { beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { engineClients } from '../../../tools/test-kit/engine.ts';
import { loseFirstResponses } from '../../../tools/test-kit/lost-answers.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import type { UsagePage } from '../core/ports.ts';
import type { UsageRecord } from '../core/usage-record.ts';
import { createReplayMarks, createUsageStore } from './usage-store.ts';

const database = fileDatabase();
let usage: ReturnType<typeof createUsageStore>;

beforeAll(async () => {
  usage = createUsageStore(database.client, database.tables.usage);
});

const RECORD: UsageRecord = {
  id: 'req_5',
  keyId: 'key_1',
  accountId: 'acc_1',
  created: 1_784_116_800,
  model: 'sim/chat',
  kind: 'chat',
  inputUnits: 12,
  cachedUnits: 3,
  outputUnits: 4,
  unit: 'token',
  cost: 9_007_199_254_740_993n,
  estimated: true,
  route: 'sim-a',
  status: 'interrupted',
};

describe('the replay mark', () => {
  it('stores the time of the last replay in the record and leaves the rest unchanged', async () => {
    const marks = createReplayMarks(database.client, database.tables.usage);
    const call = { ...RECORD, id: 'req_marked', keyId: 'key_marked' };
    await usage.put(call);
    for (const at of [1_784_116_900, 1_784_117_000])
      await marks.markReplay({ keyId: call.keyId, requestId: call.id }, at);
    expect(await usage.get(call.keyId, call.id)).toEqual({ ...call, replayed: 1_784_117_000 });
  });

  it('makes no record of a call that has none', async () => {
    const marks = createReplayMarks(database.client, database.tables.usage);
    await marks.markReplay({ keyId: 'key_marked', requestId: 'req_gone' }, 1_784_116_900);
    expect(await usage.get('key_marked', 'req_gone')).toBeUndefined();
  });
});

const BILLED: UsageRecord = {
  ...RECORD,
  id: 'req_lines',
  lines: [
    { item: 'cached_input', quantity: 3, price: 300_000_000n, per: 1_000_000 },
    { item: 'second', quantity: 12.25, price: 6_000_000n, per: 60 },
    { item: 'image:high:1024x1024', quantity: 2, price: 40_000_000n, per: 1 },
    { item: 'feature:web_search', quantity: 1, price: 10_000_000n, per: 1 },
  ],
  waived: 7n,
  catalog: '0123456789abcdef',
  serviceTier: 'priority',
  region: 'us',
  providerCost: 9_007_199_254_740_993n,
  heldAmount: 9_007_199_254_740_995n,
  unbilled: { amount: 9_007_199_254_740_997n, factor: 1.001 },
  firstTokenMs: 1_234,
  attempts: 3,
};

describe('a usage record', () => {
  it('reads back as it was written, to the nano-dollar', async () => {
    const expired: UsageRecord = { ...RECORD, id: 'req_6', model: null, route: null, estimated: false };
    for (const record of [RECORD, BILLED, expired]) {
      expect(await usage.put(record)).toBe('written');
      expect(await usage.get(record.keyId, record.id)).toEqual(record);
    }
    expect(await usage.get('key_1', 'req_7')).toBeUndefined();
    expect(await usage.get('key_2', 'req_5')).toBeUndefined();
  });

  it('accepts one write, and a second writer receives the first one’s record', async () => {
    const first = { ...RECORD, id: 'req_once' };
    const results = await Promise.all([1n, 2n, 3n, 4n, 5n].map((cost) => usage.put({ ...first, cost })));
    const stored = await usage.get(first.keyId, first.id);
    expect(results.filter((result) => result === 'written')).toHaveLength(1);
    for (const result of results) if (result !== 'written') expect(result).toEqual(stored);
    expect(await usage.put({ ...first, cost: stored?.cost ?? 0n })).toEqual(stored);
  });

  it('counts as written by its writer if the SDK repeats a lost request', async () => {
    const { client } = engineClients(database.endpoint);
    const { attempts } = loseFirstResponses(client);
    const repeated = createUsageStore(client, database.tables.usage);
    expect(await repeated.put({ ...RECORD, id: 'req_lost' })).toBe('written');
    expect(attempts()).toBe(2);
    expect(await repeated.put({ ...RECORD, id: 'req_lost', cost: 0n })).toMatchObject({ cost: RECORD.cost });
  });
});

describe('the list of a key’s calls', () => {
  const IDS = Array.from({ length: 30 }, (_, index) => `req_${String(index).padStart(3, '0')}`);

  beforeAll(async () => {
    await Promise.all(IDS.map((id) => usage.put({ ...RECORD, keyId: 'key_list', id })));
    await usage.put({ ...RECORD, keyId: 'key_other', id: 'req_010' });
  });

  async function pages(from: string, to: string, limit: number): Promise<UsagePage[]> {
    const readPages: UsagePage[] = [];
    for (let before: string | undefined; ; ) {
      const query = { keyId: 'key_list', from, to, limit };
      const page = await usage.list({ ...query, ...(before === undefined ? {} : { before }) });
      readPages.push(page);
      if (page.next === undefined) return readPages;
      if (readPages.length > IDS.length + 1) throw new Error('the pages never end');
      before = page.next;
    }
  }

  const bound = fc
    .integer({ min: -1, max: 31 })
    .map((index) => `req_${String(Math.max(index, 0)).padStart(3, '0')}`);

  it('contains every call of its range, newest first, with the start and the end, for any page size', async () => {
    await fc.assert(
      fc.asyncProperty(bound, bound, fc.integer({ min: 1, max: 31 }), async (from, to, limit) => {
        const listed = (await pages(from, to, limit)).flatMap(({ records }) => records.map(({ id }) => id));
        expect(listed).toEqual(IDS.filter((id) => id >= from && id <= to).reverse());
      }),
      { numRuns: 100 },
    );
  });

  it('fills every page but the last, which is marked as last even if it is full', async () => {
    const sizes = async (limit: number) =>
      (await pages('req_', 'req_~', limit)).map((page) => page.records.length);
    expect([await sizes(7), await sizes(10), await sizes(30)]).toEqual([[7, 7, 7, 7, 2], [10, 10, 10], [30]]);
  });

  it('consists of one empty page for a key without calls', async () => {
    const page = await usage.list({ keyId: 'key_none', from: 'req_', to: 'req_~', limit: 5 });
    expect(page).toEqual({ records: [], next: undefined });
  });

  it('misses and repeats no call if new calls are added between its pages', async () => {
    const query = { keyId: 'key_grow', from: 'req_', to: 'req_~', limit: 2 };
    for (const id of ['req_1', 'req_2', 'req_3']) await usage.put({ ...RECORD, keyId: 'key_grow', id });
    const first = await usage.list(query);
    await usage.put({ ...RECORD, keyId: 'key_grow', id: 'req_4' });
    const second = await usage.list({
      ...query,
      ...(first.next === undefined ? {} : { before: first.next }),
    });
    expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(['req_3', 'req_2', 'req_1']);
  });
});
