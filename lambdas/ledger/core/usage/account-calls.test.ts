import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { decodeTime } from 'ulid';
import { it } from '../../../../tools/test-kit/search.ts';
import {
  ACCOUNT,
  callPlan,
  FIRST_MS,
  HOUR_MS,
  keyOf,
  recordOf,
} from '../../testing/usage/simulated-usage.ts';
import type { UsageQuery } from '../ports.ts';
import type { UsageRecord } from '../usage-record.ts';
import { accountCall, listAccountCalls, MAX_KEYS, MAX_RECORDS, onlyKey } from './account-calls.ts';
import type { UsageListQuery } from './queries.ts';

class Calls {
  /** Records that the store read for the last request. */
  read = 0;
  readonly #records: readonly UsageRecord[];

  constructor(records: readonly UsageRecord[]) {
    this.#records = records.toSorted((a, b) => (a.id > b.id ? -1 : 1));
  }

  get dependencies() {
    const keyIds = [...new Set(this.#records.filter(isOwn).map(({ keyId }) => keyId))];
    return {
      keys: {
        some: async (_account: string, limit: number) => keyIds.slice(0, limit),
        has: async (_account: string, keyId: string) => keyIds.includes(keyId),
      },
      usage: {
        list: async ({ keyId, from, to, limit, before = '~' }: UsageQuery) => {
          const records = this.#records.filter(
            (record) => record.keyId === keyId && record.id >= from && record.id <= to && record.id < before,
          );
          const page = records.slice(0, limit);
          this.read += Math.min(records.length, limit + 1);
          return { records: page, next: records.length > limit ? page.at(-1)?.id : undefined };
        },
        find: async (keys: readonly string[], id: string) =>
          this.#records.find((record) => record.id === id && keys.includes(record.keyId)),
      },
    };
  }

  async pages(query: UsageListQuery): Promise<readonly (readonly UsageRecord[])[]> {
    const pages: (readonly UsageRecord[])[] = [];
    for (let cursor: string | undefined; ; ) {
      this.read = 0;
      const { entries, next } = await listAccountCalls(this.dependencies, ACCOUNT, { ...query, cursor });
      expect(this.read).toBeLessThanOrEqual(MAX_RECORDS);
      pages.push(entries);
      if (next === undefined) return pages;
      cursor = next;
    }
  }
}

const isOwn = ({ accountId }: UsageRecord) => accountId === ACCOUNT;

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const timeMs = fc.integer({ min: 0, max: 48 * HOUR_MS }).map((ms) => FIRST_MS + ms);

describe('the calls of an account', () => {
  it('appear once each, newest first, on the pages of any limit and filters', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(callPlan(6, 2), { maxLength: 60 }),
        fc.record({
          limit: fc.integer({ min: 1, max: 100 }),
          start: optional(timeMs),
          end: optional(timeMs),
          api_key: optional(fc.integer({ min: 0, max: 6 }).map(keyOf)),
          model: optional(fc.constantFrom('sim/a', 'sim/none')),
          kind: optional(fc.constantFrom('chat', 'audio')),
          status: optional(fc.constantFrom('completed', 'failed')),
        }),
        async (plans, query) => {
          const records = plans.map(recordOf);
          const pages = await new Calls(records).pages(query);
          const expectedIds = records
            .filter(
              (record) =>
                (query.model === undefined || record.model === query.model) &&
                (query.kind === undefined || record.kind === query.kind) &&
                (query.status === undefined || record.status === query.status) &&
                (query.api_key === undefined || record.keyId === query.api_key),
            )
            .map(({ id }) => id)
            .filter((id) => isStartedIn(id, query))
            .toSorted()
            .reverse();
          expect(pages.flat().map(({ id }) => id)).toEqual(expectedIds);
          for (const page of pages) expect(page.length).toBeLessThanOrEqual(query.limit);
          const filtered = [query.model, query.kind, query.status].some((filter) => filter !== undefined);
          if (!filtered) for (const page of pages.slice(0, -1)) expect(page).toHaveLength(query.limit);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('take many requests if few calls match, and no request reads more than its limit', async () => {
    const plan = fc.sample(callPlan(1, 2), { numRuns: 1, seed: 1 })[0];
    if (plan === undefined) throw new Error('no plan');
    const records = Array.from({ length: 6_000 }, (_, index) =>
      recordOf({ ...plan, key: index % 3, startMs: index, model: index < 2 ? 'rare' : 'sim/a' }, index),
    );
    const pages = await new Calls(records).pages({ limit: 20, model: 'rare' });
    expect(pages.flat()).toHaveLength(2);
    expect(pages.length).toBeGreaterThan(2);
    const contendedKeys = Array.from({ length: 2 * MAX_KEYS }, (_, index) =>
      recordOf({ ...plan, key: index % MAX_KEYS, startMs: index }, index),
    );
    const full = await new Calls(contendedKeys).pages({ limit: 100 });
    expect(full.map((page) => page.length)).toEqual(Array(10).fill(100));
  });

  it('show nothing of another account', async () => {
    const plans = fc.sample(callPlan(2, 2), { numRuns: 20 });
    const records = plans.map((plan, index) => ({
      ...recordOf(plan, index),
      accountId: plan.key === 0 ? ACCOUNT : 'acc_2',
    }));
    const calls = new Calls(records);
    const [theirs] = records.filter((record) => !isOwn(record));
    if (theirs === undefined) throw new Error('the other account has no call');
    const listed = (await calls.pages({ limit: 100 })).flat();
    expect(listed.length).toBeGreaterThan(0);
    expect(listed.every(isOwn)).toBe(true);
    expect(await calls.pages({ limit: 100, api_key: theirs.keyId })).toEqual([[]]);
    for (const id of [theirs.id, `req_${'0'.repeat(26)}`, 'nonsense', '']) {
      await expect(accountCall(calls.dependencies, ACCOUNT, id)).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringMatching(
          /^You have no call with this id, or it is not settled yet\. .*x-request-id/,
        ),
      });
    }
  });

  it('appear to no other key of the account, and to their own by the ids of request and response', async () => {
    const plans = fc.sample(callPlan(2, 2), { numRuns: 20 });
    const records = plans.map((plan, index) => ({ ...recordOf(plan, index), accountId: ACCOUNT }));
    const { usage, keys } = new Calls(records).dependencies;
    for (const record of records) {
      const own = { usage, keys: onlyKey(record.keyId) };
      const other = {
        usage,
        keys: onlyKey(records.find(({ keyId }) => keyId !== record.keyId)?.keyId ?? ''),
      };
      for (const start of ['req_', 'chatcmpl-', 'msg_', 'resp_']) {
        const id = record.id.replace('req_', start);
        expect(await accountCall({ usage, keys }, ACCOUNT, id)).toBe(record);
        expect(await accountCall(own, ACCOUNT, id)).toBe(record);
        await expect(accountCall(other, ACCOUNT, id)).rejects.toMatchObject({ code: 'not_found' });
      }
    }
  });
});

/** Returns whether the time in the request's id is within the span. */
function isStartedIn(id: string, { start = 0, end }: Pick<UsageListQuery, 'start' | 'end'>): boolean {
  const ms = decodeTime(id.slice('req_'.length));
  return ms >= start && (end === undefined || ms < end);
}
