import { describe, expect, it } from '@jest/globals';
import { encodeTime } from 'ulid';
import { text } from '../../../platform/dynamodb/attribute-values.ts';
import { putItem } from '../../../platform/dynamodb/update-item.ts';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { firstIdAt } from '../../core/usage/rollups.ts';
import { salesBody, salesQuery } from '../../core/usage/sales.ts';
import type { UsageRecord } from '../../core/usage-record.ts';
import { recordOf } from '../../testing/usage/simulated-usage.ts';
import { createUsageStore } from '../usage-store.ts';
import { createUsagePages } from './all-usage.ts';

const database = fileDatabase();
const DAY_MS = 86_400_000;
const idOf = (prefix: string, ms: number, n: number) =>
  `${prefix}_${encodeTime(ms, 10)}${String(n).padStart(16, '0')}`;

const plan = { key: 0, startMs: 0, tookMs: 0, model: 'sim/a', kind: 'chat', status: 'completed' } as const;

describe('the sales of a span', () => {
  it('total every call of every key once, over all pages', async () => {
    const { client, tables } = database;
    const { put } = createUsageStore(client, tables.usage);
    const keyIds = Array.from({ length: 60 }, (_, n) => idOf('key', DAY_MS, n));
    for (const keyId of keyIds)
      await putItem(client, {
        TableName: tables.keys,
        Item: { key_id: text(keyId), account_id: text('acc_1') },
      });
    const call = (n: number, ms: number, fields: Partial<UsageRecord> = {}) => ({
      ...recordOf({ ...plan, cost: 100n, units: 1 }, 0),
      id: idOf('req', ms, n),
      keyId: keyIds[n % 10 === 0 ? n % 60 : 0] ?? '',
      ...fields,
    });
    const inside = Array.from({ length: 5_000 }, (_, n) =>
      call(n, DAY_MS + n, {
        ...(n % 2 === 0 ? { providerCost: 60n } : {}),
        ...(n % 100 === 0 ? { status: 'failed' } : {}),
      }),
    );
    const all = [...inside, call(0, DAY_MS - 1), call(1, 2 * DAY_MS)];
    for (let at = 0; at < all.length; at += 100) await Promise.all(all.slice(at, at + 100).map(put));

    const read = createUsagePages(client, tables);
    const bodies: ReturnType<typeof salesBody>[] = [];
    for (let cursor: string | undefined; ; ) {
      const query = salesQuery.parse({ start: '86400', end: '172800', ...(cursor ? { cursor } : {}) });
      const page = await read({
        from: firstIdAt(query.start ?? 0),
        to: firstIdAt(query.end ?? 0),
        after: query.cursor,
      });
      const body = salesBody(page.records, page.next);
      bodies.push(body);
      if (body.next_cursor === null) break;
      cursor = body.next_cursor;
    }
    const total = (of: (body: ReturnType<typeof salesBody>) => unknown) =>
      Math.round(bodies.reduce((sum, body) => sum + Number(JSON.stringify(of(body))) * 1e9, 0));
    expect(bodies.length).toBeGreaterThan(1);
    expect(total(({ calls }) => calls) / 1e9).toBe(5_000);
    expect(total(({ failed }) => failed) / 1e9).toBe(50);
    expect(total(({ sold }) => sold)).toBe(500_000);
    expect(total(({ provider_cost: cost }) => cost)).toBe(150_000);
    expect(total(({ sold_at_known_cost: sold }) => sold)).toBe(250_000);
  });
});
