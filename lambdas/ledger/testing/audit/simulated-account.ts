/**
 * An account in memory whose money moves as the ledger moves it: each step below is one atomic write there. It is the
 * audit's store too.
 */

import { encodeTime } from 'ulid';
import { NO_EARNINGS } from '../../core/audit/no-earnings.ts';
import {
  type AuditedCall,
  type AuditStore,
  NO_PROVEN_USAGE,
  type ProvenUsage,
  type WalletShard,
} from '../../core/audit/ports.ts';
import type { EntryKind } from '../../core/ledger-entry.ts';
import { changeOf } from '../../core/ledger-entry.ts';
import type { RollupDependencies } from '../../core/usage/account-rollups.ts';
import { type SimulatedRecord, SimulatedUsage } from '../usage/simulated-usage.ts';

type Writable<T> = { -readonly [name in keyof T]: T[name] };

export interface SimulatedHold {
  readonly id: string;
  readonly keyId: string;
  readonly shard: number;
  amount: bigint;
  readonly created: number;
}

export type SimulatedPart = Omit<Writable<WalletShard>, 'holds' | 'spentByDay'> & {
  readonly holds: Map<string, SimulatedHold>;
  readonly spentByDay: Map<number, bigint>;
};

export const DAY_SECONDS = 86_400;

const newPart = (id: string): SimulatedPart => ({
  id,
  balance: 0n,
  holds: new Map(),
  debt: 0n,
  entries: 0,
  received: 0n,
  netCash: 0n,
  payableCash: 0n,
  spentAmount: 0n,
  spentByDay: new Map(),
});

export class SimulatedAccount implements AuditStore {
  readonly wallet: SimulatedPart[] = [newPart('acc_a')];
  readonly books: { kind: EntryKind; amount: bigint; cash: bigint }[] = [];
  readonly usageOf: SimulatedUsage;
  /** The times at which keys were revoked, in ms. */
  readonly revoked = new Map<string, number>();
  stored: ProvenUsage = NO_PROVEN_USAGE;
  /** The number of records that the rollups have read. */
  recordsRead = 0;
  /** Runs between any two reads. */
  between: () => void = () => {};
  #calls = 0;

  /** Keys are there from the start, or from their first record. */
  constructor(seconds: number, keys: readonly string[] = []) {
    const endMs = (keyId: string) => this.revoked.get(keyId) ?? Number.POSITIVE_INFINITY;
    this.usageOf = new SimulatedUsage([], { keys, endMs });
    this.seconds = seconds;
  }

  get seconds(): number {
    return this.usageOf.nowMs / 1000;
  }

  set seconds(seconds: number) {
    this.usageOf.nowMs = seconds * 1000;
  }

  get records(): SimulatedRecord[] {
    return this.usageOf.records;
  }

  get day(): number {
    return Math.floor(this.seconds / DAY_SECONDS);
  }

  isHeld(id: string): boolean {
    return this.wallet.some(({ holds }) => holds.has(id));
  }

  shard(index: number): SimulatedPart {
    const shards = this.wallet[index % this.wallet.length];
    if (shards === undefined) throw new Error('the account has no shards');
    return shards;
  }

  /** An entry of the books and what it does to the first shard, in one transaction. */
  post(kind: EntryKind, amount: bigint): void {
    const [shard, change] = [this.shard(0), changeOf({ kind, amount })];
    const cash = amount / 3n;
    this.books.push({ kind, amount, cash });
    shard.netCash += cash;
    shard.entries += 1;
    shard.received = (shard.received ?? 0n) + change;
    const balance = shard.balance + change - shard.debt;
    shard.balance = balance < 0n ? 0n : balance;
    shard.debt = balance < 0n ? -balance : 0n;
  }

  hold(index: number, requested: bigint, keyId = 'key_a'): SimulatedHold {
    const shard = this.shard(index);
    const amount = requested > shard.balance ? shard.balance : requested;
    this.#calls += 1;
    const id = `req_${encodeTime(this.seconds * 1000, 10)}${String(this.#calls).padStart(16, '0')}`;
    const hold = { id, keyId, shard: this.wallet.indexOf(shard), amount, created: this.seconds };
    shard.balance -= amount;
    shard.holds.set(id, hold);
    return hold;
  }

  record({ id, keyId }: SimulatedHold, cost: bigint, created = this.seconds): SimulatedRecord {
    const units = { inputUnits: 1, cachedUnits: 0, outputUnits: 1 };
    const record = {
      id,
      keyId,
      created,
      cost,
      ...units,
      model: 'sim/a',
      kind: 'chat',
      status: 'completed',
    } as const;
    this.records.push({ ...record });
    return this.records.at(-1) ?? record;
  }

  end({ id, shard: index }: SimulatedHold, record: SimulatedRecord): void {
    const shard = this.shard(index);
    const hold = shard.holds.get(id);
    if (hold === undefined) return;
    const day = Math.floor(record.created / DAY_SECONDS);
    shard.holds.delete(id);
    shard.balance += hold.amount - record.cost;
    shard.spentAmount += record.cost;
    if (shard.received !== undefined)
      shard.spentByDay.set(day, (shard.spentByDay.get(day) ?? 0n) + record.cost);
  }

  /** A whole call. */
  call(index: number, cost: bigint, keyId?: string): void {
    const hold = this.hold(index, cost + 5n, keyId);
    this.end(hold, this.record(hold, cost > hold.amount ? hold.amount : cost));
  }

  transfer(from: number, to: number, requested: bigint): void {
    const [giver, principal] = [this.shard(from), this.shard(to)];
    if (giver === principal) return;
    const amount = requested > giver.balance ? giver.balance : requested;
    for (const [shard, change] of [
      [giver, -amount],
      [principal, amount],
    ] as const) {
      shard.balance += change;
      shard.received = (shard.received ?? 0n) + change;
      shard.entries += 1;
    }
  }

  /** Pays what is owed from another shard's balance, which is not counted as a transfer. */
  collect(from: number): void {
    const [giver, first] = [this.shard(from), this.shard(0)];
    const amount = giver.balance < first.debt ? giver.balance : first.debt;
    giver.balance -= amount;
    giver.received = (giver.received ?? 0n) - amount;
    first.debt -= amount;
    first.received = (first.received ?? 0n) + amount;
  }

  grow(): void {
    this.wallet.push(newPart(`acc_a#${this.wallet.length}`));
  }

  /** Merges the last shard into the first, if no call holds anything in it. */
  merge(): void {
    const last = this.wallet.at(-1);
    if (last === undefined || this.wallet.length === 1 || last.holds.size > 0) return;
    const first = this.shard(0);
    this.wallet.pop();
    first.balance += last.balance;
    first.spentAmount += last.spentAmount;
    first.received = (first.received ?? 0n) + (last.received ?? 0n);
    for (const [day, cost] of last.spentByDay)
      first.spentByDay.set(day, (first.spentByDay.get(day) ?? 0n) + cost);
    first.entries += 1;
  }

  async shards(): Promise<readonly WalletShard[]> {
    const shards: WalletShard[] = [];
    for (let index = 0; index < this.wallet.length; index += 1) {
      const { holds, spentByDay, ...shard } = this.shard(index);
      shards.push({
        ...shard,
        holds: [...holds.values()].map((hold) => ({ ...hold })),
        spentByDay: new Map(spentByDay),
      });
      this.between();
    }
    return shards;
  }

  readonly readEarnings = NO_EARNINGS.readEarnings;

  async *entries() {
    const entries = [...this.books];
    this.between();
    yield* entries;
  }

  get rollups(): RollupDependencies {
    const shards = this.usageOf.dependencies(async () => this.between());
    const read: RollupDependencies['calls']['read'] = async (query) => {
      const page = await shards.calls.read(query);
      this.recordsRead += page.calls.length;
      return page;
    };
    return { ...shards, calls: { read } };
  }

  async recordedCost(calls: readonly Pick<AuditedCall, 'keyId' | 'id'>[]): Promise<bigint> {
    this.between();
    const ids = new Set(calls.map(({ id }) => id));
    return this.records.reduce((sum, { id, cost }) => (ids.has(id) ? sum + cost : sum), 0n);
  }

  async *usage() {
    const shards = [...this.records];
    this.between();
    yield* shards;
  }

  async readProvenUsage(): Promise<ProvenUsage> {
    const { stored } = this;
    this.between();
    return stored;
  }

  async storeProvenUsage(_accountId: string, signedMessage: ProvenUsage): Promise<boolean> {
    this.usageOf.write();
    if (signedMessage.version !== this.stored.version) return false;
    this.stored = { ...signedMessage, version: signedMessage.version + 1 };
    return true;
  }

  async removeDays(days: readonly { readonly shard: string; readonly day: number }[]): Promise<void> {
    this.usageOf.write();
    for (const { shard: id, day } of days)
      this.wallet.find((shard) => shard.id === id)?.spentByDay.delete(day);
  }
}
