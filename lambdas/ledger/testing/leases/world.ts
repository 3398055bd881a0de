/** The ground truth of a simulated service, and the laws that hold after every request that the database executes. */

import { byWindow, CAPS } from '../../../access/core/keys/caps.ts';
import { type LeaseEntry, totalOf } from '../../../access/core/keys/key-leases.ts';
import type { Policy } from '../../../access/core/keys/policy.ts';
import { type Windows, windowsAt } from '../../../access/core/keys/windows.ts';
import type { NanoUsd } from '../../../platform/core/money.ts';
import { FRESH_MS } from '../../core/lease-times.ts';
import {
  COUNTERS,
  type Counter,
  counterName,
  type KeyItem,
  leftOf,
  limitOf,
  type WalletItem,
} from './items.ts';
import { SimulatedDatabase } from './simulated-database.ts';
import type { Network, SimulatedProcess } from './simulated-process.ts';
import { Simulation } from './simulation.ts';

/** A call of a history. */
export interface SimulatedCall {
  readonly requestId: string;
  readonly keyId: string;
  readonly bound: NanoUsd;
  readonly cost: NanoUsd;
  /** The tokens that it takes from the minute, and those that its route reports. */
  readonly tokens: number;
  readonly usedTokens: number;
  readonly durationMs: number;
}

/** The cover of a call. */
export interface SimulatedCover {
  /** The windows of its key that it was taken from. */
  readonly windows: Windows;
  /** The time of the request that returned the state of the key. */
  readonly keyReadMs: number;
  /** Undefined for a call with a hold. */
  readonly lease?: { readonly id: string; readonly fenceMs: number };
}

export interface AdmittedCall extends SimulatedCall {
  readonly process: SimulatedProcess;
  readonly cover: SimulatedCover;
  /** 0 for a call that was admitted from memory. */
  readonly waitedMs: number;
  hasEnded: boolean;
}

class BrokenLaw extends Error {
  override readonly name = 'BrokenLaw';
}

function must(holds: boolean, law: string, detail: () => unknown = () => ''): void {
  if (holds) return;
  const plain = (_name: string, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value instanceof Map ? [...value] : value;
  throw new BrokenLaw(`${law}: ${JSON.stringify(detail(), plain)}`);
}

const SECONDS_A_DAY = 86_400;
const sum = <T>(list: Iterable<T>, of: (item: T) => NanoUsd): NanoUsd => {
  let total = 0n;
  for (const item of list) total += of(item);
  return total;
};

export class World implements Network {
  readonly simulation: Simulation;
  readonly database = new SimulatedDatabase();
  faultRate: number;
  /** Credit by account. */
  readonly credits = new Map<string, NanoUsd>();
  readonly calls = new Map<string, AdmittedCall>();
  readonly #callsByLease = new Map<string, AdmittedCall[]>();
  /** The times at which keys were revoked. */
  readonly revokedMs = new Map<string, number>();
  /** The earlier policies of each key, with the times at which they were changed. */
  readonly #formerPolicies = new Map<string, { readonly policy: Policy; readonly untilMs: number }[]>();
  readonly counts = { admitted: 0, held: 0, rejected: 0, lost: 0, recorded: 0, requests: 0 };

  constructor(seed: number, startMs: number, faultRate: number) {
    this.simulation = new Simulation(seed, startMs);
    this.faultRate = faultRate;
  }

  addAccount(accountId: string, credit: NanoUsd, shards: number): void {
    this.credits.set(accountId, credit);
    for (let index = 0; index < shards; index += 1) {
      const walletId = index === 0 ? accountId : `${accountId}#${index}`;
      const own = index === 0 ? credit : 0n;
      const empty = { spent: 0n, debt: 0n, spentByDay: new Map(), holds: new Map(), leases: new Map() };
      this.database.wallets.set(walletId, { walletId, balance: own, received: own, ...empty });
    }
  }

  addKey(accountId: string, keyId: string, policy: Policy): void {
    const empty = { counters: new Map(), leases: new Map(), used: undefined, repaired: undefined };
    this.database.keys.set(keyId, { keyId, accountId, policy, status: 'active', version: 1, ...empty });
  }

  /** Replaces the policy of a key. What is left of each window follows its limit. */
  changePolicy(keyId: string, policy: Policy): void {
    const item = this.database.keys.get(keyId);
    if (item === undefined) throw new Error('there is no such key');
    for (const counter of COUNTERS) {
      const by = limitOf(policy, counter) - limitOf(item.policy, counter);
      for (const [name, left] of item.counters)
        if (name.startsWith(counter)) item.counters.set(name, left + by);
    }
    const former = { policy: item.policy, untilMs: this.simulation.nowMs };
    this.#formerPolicies.set(keyId, [...(this.#formerPolicies.get(keyId) ?? []), former]);
    item.policy = policy;
    item.version += 1;
  }

  admitted(
    call: SimulatedCall,
    process: SimulatedProcess,
    { cover, arrivedMs }: { readonly cover: SimulatedCover; readonly arrivedMs: number },
  ): AdmittedCall {
    const { keyReadMs, lease } = cover;
    const waitedMs = this.simulation.nowMs - arrivedMs;
    const admitted = { ...call, process, cover, waitedMs, hasEnded: false };
    this.counts.admitted += 1;
    if (lease === undefined) this.counts.held += 1;
    this.calls.set(call.requestId, admitted);
    if (lease !== undefined) {
      const calls = this.#callsByLease.get(lease.id) ?? [];
      calls.push(admitted);
      this.#callsByLease.set(lease.id, calls);
    }
    const revokedMs = this.revokedMs.get(call.keyId) ?? Number.POSITIVE_INFINITY;
    const detail = () => ({ arrivedMs, keyReadMs, revokedMs, call });
    must(keyReadMs >= arrivedMs - FRESH_MS, 'the key was read at most a second before the call', detail);
    must(keyReadMs <= revokedMs, 'a key that was read as revoked admits no call', detail);
    this.checkLimits(admitted);
    return admitted;
  }

  /** An admitted call is within the limits that its key had when it was read, or has had since. */
  protected checkLimits({ keyId, bound, tokens, cover }: AdmittedCall): void {
    const item = this.database.keys.get(keyId);
    if (item === undefined) throw new Error('there is no such key');
    const former = (this.#formerPolicies.get(keyId) ?? []).filter(
      ({ untilMs }) => untilMs >= cover.keyReadMs,
    );
    const policies = [item.policy, ...former.map(({ policy }) => policy)];
    const taken = { requests: 1n, tokens: BigInt(tokens), ...byWindow(() => bound) };
    const used = this.#usedOf(keyId);
    for (const counter of COUNTERS) {
      const by = used.get(counterName(counter, cover.windows))?.by ?? 0n;
      const isWithin = taken[counter] === 0n || policies.some((policy) => by <= limitOf(policy, counter));
      must(isWithin, 'a call is within the limits of its key', () => ({ item, counter, by }));
    }
  }

  /** The caller has received the end of the response. */
  delivered(call: AdmittedCall): void {
    call.hasEnded = true;
    this.counts.recorded += 1;
    must(this.database.records.has(call.requestId), 'a response ends after its record is durable');
  }

  lost(call: AdmittedCall): void {
    call.hasEnded = true;
    this.counts.lost += 1;
  }

  onExecuted = (): void => {
    this.counts.requests += 1;
    for (const item of this.database.wallets.values()) this.#checkWallet(item);
    for (const item of this.database.keys.values()) this.#checkKey(item);
  };

  #checkWallet(item: WalletItem): void {
    const { walletId, balance, debt, received, spent, holds, leases } = item;
    must(balance >= 0n && debt >= 0n, 'no balance is below zero', () => item);
    const open = sum([...leases.values(), ...holds.values()], ({ amount }) => amount);
    must(received === balance + open + spent - debt, 'received = balance + open + spent - owed', () => item);
    for (const [id, entry] of leases) this.#checkEntry(id, entry, walletId);
  }

  /** An entry covers the open calls of its lease, and what they cost that was not charged. */
  #checkEntry(id: string, entry: LeaseEntry, where: string): void {
    const calls = this.#callsByLease.get(id) ?? [];
    const open = sum(calls, (call) => (this.#isOpen(call) ? call.bound : 0n));
    const cost = sum(calls, ({ requestId }) => this.#costOf(requestId));
    const settled = totalOf(entry.settled);
    const detail = () => ({ where, id, entry, open, cost, at: this.simulation.nowMs });
    must(entry.amount >= open + cost - settled, 'an entry covers its calls', detail);
    must(cost >= settled, 'nothing is charged that was not recorded', detail);
  }

  /** No counter has more left than its limit less what was used. */
  #checkKey(item: KeyItem): void {
    for (const [id, entry] of item.leases) this.#checkEntry(id, entry, item.keyId);
    for (const { counter, windows, by } of this.#usedOf(item.keyId).values()) {
      const isWithin = limitOf(item.policy, counter) - leftOf(item, counter, windows) >= by;
      must(isWithin, 'no more is left than there is', () => ({ item, counter, by }));
    }
  }

  /** Returns the amounts that the calls of a key have used, by counter and window. */
  #usedOf(keyId: string) {
    const used = new Map<string, { counter: Counter; windows: Windows; by: bigint }>();
    const use = (counter: Counter, windows: Windows, by: bigint) => {
      const name = counterName(counter, windows);
      used.set(name, { counter, windows, by: (used.get(name)?.by ?? 0n) + by });
    };
    for (const call of this.calls.values()) {
      if (call.keyId !== keyId) continue;
      const { windows } = call.cover;
      const record = this.database.records.get(call.requestId);
      const isOpen = this.#isOpen(call);
      const amount = record?.cost ?? (isOpen ? call.bound : 0n);
      use('requests', windows, 1n);
      use(
        'tokens',
        windows,
        BigInt(record ? Math.min(call.tokens, call.usedTokens) : isOpen ? call.tokens : 0),
      );
      for (const { window } of CAPS) use(window, windows, amount);
    }
    return used;
  }

  #isOpen(call: AdmittedCall): boolean {
    const { process, cover, requestId, hasEnded } = call;
    if (hasEnded || process.isDead || this.database.records.has(requestId)) return false;
    return cover.lease === undefined || process.clock() <= cover.lease.fenceMs;
  }

  /** At rest: every process has gone, and every lease was closed or recovered. */
  checkRest(): void {
    const { wallets, keys, records } = this.database;
    for (const [accountId, credit] of this.credits) {
      const shards = this.database.shardsOf(accountId);
      const own = [...records.values()].filter((record) => record.accountId === accountId);
      const cost = sum(own, (record) => record.cost);
      must(
        shards.every(({ holds, leases }) => holds.size === 0 && leases.size === 0),
        'nothing is held at rest',
        () => shards,
      );
      const balance = sum(shards, (shard) => shard.balance - shard.debt);
      must(credit === balance + cost, 'credits = balances + records', () => ({ credit, balance, cost }));
      must(
        sum(shards, ({ spent }) => spent) === cost,
        'what was spent is the sum of the records',
        () => shards,
      );
      const dayOf = ({ created }: { readonly created: number }) => Math.floor(created / SECONDS_A_DAY);
      for (const day of new Set([
        ...own.map(dayOf),
        ...shards.flatMap(({ spentByDay }) => [...spentByDay.keys()]),
      ])) {
        const spent = sum(shards, ({ spentByDay }) => spentByDay.get(day) ?? 0n);
        const recorded = sum(
          own.filter((record) => dayOf(record) === day),
          (record) => record.cost,
        );
        must(spent === recorded, 'what was spent on a day is the sum of its records', () => ({
          day,
          spent,
          recorded,
        }));
      }
    }
    for (const item of keys.values()) this.#checkKeyAtRest(item);
    must(wallets.size > 0, 'there are wallets');
  }

  /** A cap may miss amounts that calls with a hold took, until it is repaired. */
  #checkKeyAtRest(item: KeyItem): void {
    must(item.leases.size === 0, 'no key has a lease at rest', () => item);
    const calls = [...this.calls.values()].filter(({ keyId }) => keyId === item.keyId);
    if (calls.some(({ cover }) => cover.lease === undefined) || this.database.heldKeys.has(item.keyId))
      return;
    for (const { window: counter } of CAPS) {
      for (const windows of new Map(
        calls.map(({ cover }) => [cover.windows[counter], cover.windows]),
      ).values()) {
        const cost = sum(calls, ({ cover, requestId }) =>
          cover.windows[counter] === windows[counter] ? this.#costOf(requestId) : 0n,
        );
        const missing = limitOf(item.policy, counter) - cost - leftOf(item, counter, windows);
        must(missing === 0n, 'a cap has what no record used', () => ({ item, counter, cost, missing }));
      }
    }
  }

  /** After the repair of a key at rest. */
  checkRepaired(windows: Windows): void {
    for (const item of this.database.keys.values()) {
      const records = [...this.database.records.values()].filter(({ keyId }) => keyId === item.keyId);
      for (const { window: counter } of CAPS) {
        const cost = sum(records, ({ created, cost: each }) =>
          windowsAt(created * 1000)[counter] === windows[counter] ? each : 0n,
        );
        const missing = limitOf(item.policy, counter) - cost - leftOf(item, counter, windows);
        must(missing === 0n, 'a repaired cap has what no record used', () => ({
          item,
          counter,
          cost,
          missing,
        }));
      }
    }
  }

  #costOf(requestId: string): NanoUsd {
    return this.database.records.get(requestId)?.cost ?? 0n;
  }
}
