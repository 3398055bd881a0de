import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import {
  ACCOUNT,
  callPlan,
  FIRST_MS,
  HOUR_MS,
  keyIdAt,
  keyOf,
  recordOf,
  type SimulatedRecord,
  SimulatedUsage,
} from '../../testing/usage/simulated-usage.ts';
import { type RollupReading, readRollups } from './account-rollups.ts';
import { ReadingBudget } from './key-reading.ts';
import { closedDay, hourOf, timeOfId } from './rollups.ts';

const DAYS = 3;
const FIRST_HOUR = FIRST_MS / HOUR_MS;

const records = fc
  .array(callPlan(3, DAYS), { minLength: 1, maxLength: 40 })
  .map((plans) => plans.map(recordOf));

/** Keys that are revoked so long after their last call began; the others stay live. */
const revocations = fc.dictionary(
  fc.constantFrom('0', '1', '2'),
  fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 * DAYS * 24 * HOUR_MS })),
);

const endsOf =
  (allRecords: readonly SimulatedRecord[], afterMs: Readonly<Record<string, number>>) => (keyId: string) => {
    const key = [0, 1, 2].find((index) => keyOf(index) === keyId);
    const after = key === undefined ? undefined : afterMs[key];
    const startedRecords = allRecords
      .filter((record) => record.keyId === keyId)
      .map(({ id }) => timeOfId(id));
    return after === undefined ? Number.POSITIVE_INFINITY : Math.max(FIRST_MS, ...startedRecords) + 1 + after;
  };

const span = fc
  .tuple(fc.integer({ min: 0, max: DAYS * 24 }), fc.integer({ min: 1, max: DAYS * 24 }))
  .map(([start, hours]) => ({ start: FIRST_HOUR + start, end: FIRST_HOUR + start + hours }));

interface Span {
  readonly start: number;
  readonly end: number;
}

interface RollupResult {
  readonly keyId: string;
  readonly model: string | null;
  readonly kind: string;
  readonly status: string;
  readonly cost: bigint;
  readonly inputUnits: number;
}

const byName = (
  rows: readonly (RollupResult & { readonly hour: number; readonly calls: number })[],
): Record<string, string> => {
  const rollups = new Map<string, { calls: number; cost: bigint; units: number }>();
  for (const row of rows) {
    const name = [row.hour, row.keyId, row.model, row.kind, row.status].join(' ');
    const sum = rollups.get(name) ?? { calls: 0, cost: 0n, units: 0 };
    rollups.set(name, {
      calls: sum.calls + row.calls,
      cost: sum.cost + row.cost,
      units: sum.units + row.inputUnits,
    });
  }
  return Object.fromEntries(
    [...rollups]
      .toSorted()
      .map(([name, { calls, cost, units }]) => [name, `${calls} ${cost} ${units.toFixed(6)}`]),
  );
};

/** The plain totals of the records. */
const expected = (allRecords: readonly SimulatedRecord[], { start, end }: Span) =>
  byName(
    allRecords
      .map((record) => ({ ...record, hour: hourOf(record.created), calls: 1 }))
      .filter(({ hour }) => hour >= start && hour < end),
  );

/** An audit reads the closed days, and brings them up to date. */
const auditSpan = ({ nowMs }: Pick<RollupReading, 'nowMs'>) => ({
  start: FIRST_HOUR,
  end: (closedDay(nowMs) + 1) * 24,
});

const enough = () => new ReadingBudget(1_000);

/** Reads the rollups of a span; `pause` comes before each step. */
const read = (usage: SimulatedUsage, query: Span, budget = enough(), pause?: () => Promise<void>) =>
  readRollups({ ...usage.dependencies(pause), nowMs: usage.nowMs, budget }, ACCOUNT, query);

const step = fc.record({
  /** The clock goes on by so much, */
  passMs: fc.oneof(fc.integer({ min: 0, max: HOUR_MS }), fc.integer({ min: 0, max: 30 * HOUR_MS })),
  span,
  /** and the reading dies at this write, */
  diesAt: fc.option(fc.integer({ min: 0, max: 3 }), { nil: Number.POSITIVE_INFINITY }),
  /** or ends early. */
  pages: fc.constantFrom(0, 1, 1_000),
  audit: fc.boolean(),
});

const PLAN = {
  key: 0,
  startMs: 0,
  tookMs: 0,
  model: 'sim/a',
  kind: 'chat',
  status: 'completed',
  cost: 7n,
  units: 1,
} as const;

describe('the usage rollups of an account', () => {
  it('equal those of its records after any stored, killed or shortened readings', async () => {
    await fc.assert(
      fc.asyncProperty(
        records,
        fc.array(step, { maxLength: 6 }),
        span,
        fc.integer({ min: 1, max: 5 }),
        revocations,
        async (allRecords, steps, query, pageRecords, afterMs) => {
          const usage = new SimulatedUsage(allRecords, { endMs: endsOf(allRecords, afterMs) });
          usage.pageRecords = pageRecords;
          for (const { passMs, span: first, diesAt, pages, audit } of steps) {
            usage.nowMs += passMs;
            usage.writesLeft = diesAt;
            // A page of the simulation is a few records: a budget of 1 page ends most readings in the middle.
            const budget = pages === 1 ? fewPages(4) : new ReadingBudget(pages);
            const query = audit ? auditSpan(usage) : first;
            const result = await read(usage, query, budget).catch(() => undefined);
            if (result?.complete) expect(byName(result.rows)).toEqual(expected(usage.visible, query));
          }
          usage.writesLeft = Number.POSITIVE_INFINITY;
          const rollups = await read(usage, query);
          expect(rollups.complete).toBe(true);
          expect(byName(rollups.rows)).toEqual(expected(usage.visible, query));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('equal those of its records for each of several concurrent readings', async () => {
    await fc.assert(
      fc.asyncProperty(
        records,
        fc.array(span, { minLength: 2, maxLength: 3 }),
        fc.array(fc.integer({ min: 0, max: 40 * HOUR_MS }), { minLength: 1, maxLength: 3 }),
        revocations,
        fc.scheduler(),
        async (allRecords, spans, passes, afterMs, scheduler) => {
          const usage = new SimulatedUsage(allRecords, { endMs: endsOf(allRecords, afterMs) });
          usage.pageRecords = 3;
          for (const passMs of passes) {
            usage.nowMs += passMs;
            const pause = () => scheduler.schedule(Promise.resolve());
            const readings = Promise.all(spans.map((query) => read(usage, query, enough(), pause)));
            const rollups = await scheduler.waitFor(readings);
            for (const [at, query] of spans.entries()) {
              expect(rollups[at]?.complete).toBe(true);
              expect(byName(rollups[at]?.rows ?? [])).toEqual(expected(usage.visible, query));
            }
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('include the calls that ran on when their key was revoked, with any number of readings in between', async () => {
    const call = fc.record({
      startMs: fc.integer({ min: 0, max: 2 * HOUR_MS }),
      tookMs: fc.integer({ min: 0, max: 2 * HOUR_MS }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { minLength: 1, maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: HOUR_MS }), { minLength: 5, maxLength: 20 }),
        async (calls, passes) => {
          const allRecords = calls.map((times, index) => recordOf({ ...PLAN, ...times }, index));
          const endMs = Math.max(...calls.map(({ startMs }) => FIRST_MS + startMs)) + 1;
          const usage = new SimulatedUsage(allRecords, { endMs: () => endMs });
          const query = { start: FIRST_HOUR, end: FIRST_HOUR + 24 };
          for (const passMs of [...passes, 10 * HOUR_MS]) {
            usage.nowMs += passMs;
            const rollups = await read(usage, query);
            expect(byName(rollups.rows)).toEqual(expected(usage.visible, query));
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('become complete after as many readings as their records require, each of which reads a few', async () => {
    const plans = fc.sample(callPlan(5, DAYS), { numRuns: 200 });
    const usage = new SimulatedUsage(plans.map(recordOf));
    usage.pageRecords = 5;
    usage.nowMs = FIRST_MS + 30 * 24 * HOUR_MS;
    const query = { start: FIRST_HOUR, end: FIRST_HOUR + (DAYS + 1) * 24 };
    for (let readings = 1; ; readings += 1) {
      expect(readings).toBeLessThan(40);
      const { complete, rows } = await read(usage, query, fewPages(8));
      if (!complete) continue;
      expect(readings).toBeGreaterThan(1);
      expect(byName(rows)).toEqual(expected(usage.visible, query));
      return;
    }
  });

  it('read no record of a closed hour twice', async () => {
    const usage = new SimulatedUsage([recordOf({ ...PLAN, startMs: HOUR_MS }, 0)]);
    usage.nowMs = FIRST_MS + 10 * 24 * HOUR_MS;
    const query = { start: FIRST_HOUR, end: FIRST_HOUR + 24 };
    const reads = [];
    for (const budget of [enough(), enough()]) {
      expect((await read(usage, query, budget)).rows).toMatchObject([{ calls: 1, cost: 7n }]);
      reads.push(budget.read);
    }
    expect(reads).toEqual([1, 0]);
  });
});

describe('an account that has had thousands of keys', () => {
  const KEYS = 3_000;
  const keys = Array.from({ length: KEYS }, (_, key) => keyIdAt(FIRST_MS + key * 10, key));
  const one = (key: number, startMs: number) => ({
    ...recordOf({ ...PLAN, startMs }, key),
    keyId: keys[key] ?? '',
  });
  const LIVE = 2_999;
  const usage = new SimulatedUsage(
    [one(0, HOUR_MS), one(1_700, HOUR_MS), one(LIVE, HOUR_MS), one(LIVE, 90 * HOUR_MS)],
    { keys, endMs: (keyId) => (keyId === keys[LIVE] ? Number.POSITIVE_INFINITY : FIRST_MS + 2 * HOUR_MS) },
  );
  const PAGES = 64;

  async function readUsage() {
    const query = { start: FIRST_HOUR, end: FIRST_HOUR + 7 * 24 };
    const before = usage.queries;
    const rollups = await read(usage, query, new ReadingBudget(PAGES));
    return {
      ...rollups,
      calls: rollups.rows.reduce((sum, { calls }) => sum + calls, 0),
      queries: usage.queries - before,
    };
  }

  it('reads a bounded number of them at a time, the active ones first, until the ended ones are done', async () => {
    usage.nowMs = FIRST_MS + 50 * HOUR_MS;
    const first = await readUsage();
    expect(first).toMatchObject({ complete: false, calls: 2 });
    expect(first.queries).toBeLessThanOrEqual((PAGES * 2_000) / 100 + 16);
    expect(first.queries).toBeGreaterThan(1_000);
    for (let hours = 0; hours < 30; hours += 1) {
      usage.nowMs += HOUR_MS;
      expect((await readUsage()).queries).toBeLessThanOrEqual((PAGES * 2_000) / 100 + 16);
    }
    usage.nowMs = FIRST_MS + 100 * HOUR_MS;
    expect(await readUsage()).toMatchObject({ complete: true, calls: 4, queries: 1 });
  });

  it('stays incomplete while it has keys whose calls no query has read', async () => {
    const last = keys.length - 1;
    const usageAfterEnd = new SimulatedUsage([one(last, HOUR_MS)], {
      keys,
      endMs: () => FIRST_MS + 2 * HOUR_MS,
    });
    usageAfterEnd.nowMs = FIRST_MS + 50 * HOUR_MS;
    const query = { start: FIRST_HOUR, end: FIRST_HOUR + 7 * 24 };
    const question = async () => {
      const { rows, complete } = await read(usageAfterEnd, query, new ReadingBudget(1_000_000));
      return { complete, calls: rows.length };
    };
    expect(await question()).toEqual({ complete: false, calls: 0 });
    for (let hours = 0; hours < 30; hours += 1) {
      usageAfterEnd.nowMs += HOUR_MS;
      await question();
    }
    expect(await question()).toEqual({ complete: true, calls: 1 });
  });
});

/** A budget that is over after a number of pages, however few records they have. */
function fewPages(pages: number): ReadingBudget {
  let remainingPages = pages;
  return new ReadingBudget(1_000, () => {
    remainingPages -= 1;
    return remainingPages < 0;
  });
}
