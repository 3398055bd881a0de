/** The usage of an account in memory, whose writes may be lost with the process that makes them. */
import fc from 'fast-check';
import { encodeTime } from 'ulid';
import type { RollupDependencies } from '../../core/usage/account-rollups.ts';
import { type KeyDay, NO_PROGRESS, type RollupProgress } from '../../core/usage/ports.ts';
import { type RollupCall, timeOfId } from '../../core/usage/rollups.ts';
import type { UsageRecord } from '../../core/usage-record.ts';

export const HOUR_MS = 3_600_000;

/** Midnight of a day. */
export const FIRST_MS = Date.UTC(2026, 6, 10);

const ulidAt = (ms: number, index: number): string =>
  `${encodeTime(ms, 10)}${String(index).padStart(16, '0')}`;

export const keyIdAt = (ms: number, index: number): string => `key_${ulidAt(ms, index)}`;
const requestIdAt = (ms: number, index: number): string => `req_${ulidAt(ms, index)}`;

export const ACCOUNT = 'acc_1';

export interface CallPlan {
  readonly key: number;
  /** The start of the call, after `FIRST_MS`. */
  readonly startMs: number;
  /** The time from the start to the settlement, at most two hours. */
  readonly tookMs: number;
  readonly model: string | null;
  readonly kind: 'chat' | 'audio';
  readonly status: UsageRecord['status'];
  readonly cost: bigint;
  readonly units: number;
}

export const callPlan = (keys: number, days: number): fc.Arbitrary<CallPlan> =>
  fc.record({
    key: fc.integer({ min: 0, max: keys - 1 }),
    startMs: fc.integer({ min: 0, max: days * 24 * HOUR_MS }),
    tookMs: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 2 * HOUR_MS })),
    model: fc.constantFrom('sim/a', 'sim/b', null),
    kind: fc.constantFrom('chat', 'audio'),
    status: fc.constantFrom('completed', 'interrupted', 'failed', 'expired'),
    cost: fc.oneof(fc.bigInt(0n, 9n), fc.bigInt(9_007_199_254_740_990n, 9_007_199_254_740_999n)),
    units: fc.oneof(fc.integer({ min: 0, max: 9_999 }), fc.constant(12.25)),
  });

export const keyOf = (key: number): string => keyIdAt(FIRST_MS, key);

export const recordOf = (plan: CallPlan, index: number): UsageRecord => ({
  id: requestIdAt(FIRST_MS + plan.startMs, index),
  keyId: keyOf(plan.key),
  accountId: ACCOUNT,
  created: Math.floor((FIRST_MS + plan.startMs + plan.tookMs) / 1000),
  model: plan.model,
  kind: plan.kind,
  inputUnits: plan.units,
  cachedUnits: 1,
  outputUnits: 2,
  unit: plan.kind === 'audio' ? 'second' : 'token',
  cost: plan.cost,
  estimated: false,
  route: null,
  status: plan.status,
});

export type SimulatedRecord = {
  -readonly [name in keyof RollupCall | 'keyId']: UsageRecord[name];
};

export class SimulatedUsage {
  /** Records that are written by then are seen. */
  nowMs = FIRST_MS;
  readonly records: SimulatedRecord[];
  /** The number of writes that still succeed. Each later one fails as if its process had died. */
  writesLeft = Number.POSITIVE_INFINITY;
  /** Pages have at most as many records. */
  pageRecords = Number.POSITIVE_INFINITY;
  /** Queries that were made for records. */
  queries = 0;
  readonly #keys: readonly string[];
  /** Returns the time at which a key was revoked. */
  readonly #endMs: (keyId: string) => number;
  /** The stored rollups. */
  readonly days = new Map<string, KeyDay>();
  progress: RollupProgress = NO_PROGRESS;

  /** Keys without records may be given too. */
  constructor(
    records: readonly SimulatedRecord[],
    {
      keys = [],
      endMs = () => Number.POSITIVE_INFINITY,
    }: { readonly keys?: readonly string[]; readonly endMs?: (keyId: string) => number } = {},
  ) {
    this.records = [...records];
    this.#keys = keys;
    this.#endMs = endMs;
  }

  /** The keys that were made by now. */
  get #created(): readonly string[] {
    const all = new Set([...this.#keys, ...this.records.map(({ keyId }) => keyId)]);
    return [...all].toSorted().filter((keyId) => timeOfId(keyId) <= this.nowMs);
  }

  get visible(): readonly SimulatedRecord[] {
    return this.records
      .filter(({ created }) => created * 1000 <= this.nowMs)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Comes before each write. */
  write(): void {
    this.writesLeft -= 1;
    if (this.writesLeft < 0) throw new Error('the process has died');
  }

  /** `pause` comes before each step, so that readings interleave. */
  dependencies(pause: () => Promise<void> = async () => {}): RollupDependencies {
    return {
      keys: {
        since: async (_account, after, limit) => {
          await pause();
          return {
            live: this.#created.filter((keyId) => this.nowMs < this.#endMs(keyId)),
            later: this.#created.filter((keyId) => keyId > after).slice(0, limit),
          };
        },
      },
      calls: {
        read: async ({ keyId, from, to, after = '', limit }) => {
          await pause();
          this.queries += 1;
          const matching = this.visible.filter(
            (record) => record.keyId === keyId && record.id >= from && record.id <= to && record.id > after,
          );
          const calls = matching.slice(0, Math.min(limit, this.pageRecords));
          return { calls, next: calls.length < matching.length ? calls.at(-1)?.id : undefined };
        },
      },
      store: {
        progress: async () => {
          await pause();
          return this.progress;
        },
        storeProgress: async (_account, progress) => {
          await pause();
          this.write();
          if (progress.version !== this.progress.version) return false;
          this.progress = { ...progress, version: progress.version + 1 };
          return true;
        },
        days: async (_account, first, last) => {
          const matching: KeyDay[] = [];
          for (const key of [...this.days.keys()].toSorted()) {
            await pause();
            const day = this.days.get(key);
            if (day !== undefined && day.day >= first && day.day <= last) matching.push(day);
          }
          return matching;
        },
        storeDay: async (_account, day) => {
          await pause();
          this.write();
          const key = `${day.day} ${day.keyId}`;
          if ((this.days.get(key)?.through ?? -1) < day.through) this.days.set(key, day);
        },
      },
    };
  }
}
