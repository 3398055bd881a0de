/** The items of wallets and keys as a simulated database has them, and the writes of leases on them. */

import type { KeyLeaseWrite, LeasedKey, LeaseEntry, LeaseWrite } from '../../../access/core/key-leases.ts';
import { dailyOf, type KeyState, monthlyOf, rpmOf, tpmOf } from '../../../access/core/key-state.ts';
import type { Policy } from '../../../access/core/policy.ts';
import type { Windows } from '../../../access/core/windows.ts';
import { greatest, least, type NanoUsd } from '../../../platform/core/money.ts';
import type { LeasedWallet, WalletLeaseWrite } from '../../core/leases/ports.ts';
import type { Hold } from '../../core/ports.ts';

export interface WalletItem {
  readonly walletId: string;
  balance: NanoUsd;
  received: NanoUsd;
  spent: NanoUsd;
  debt: NanoUsd;
  readonly spentByDay: Map<number, NanoUsd>;
  readonly holds: Map<string, Hold>;
  readonly leases: Map<string, LeaseEntry>;
}

export interface KeyItem {
  readonly keyId: string;
  readonly accountId: string;
  policy: Policy;
  status: KeyState['status'];
  version: number;
  /** The amounts that are left, by window and number. A window that nothing was taken from has none. */
  readonly counters: Map<string, bigint>;
  readonly leases: Map<string, LeaseEntry>;
  used: number | undefined;
  repaired: number | undefined;
}

export const COUNTERS = ['requests', 'tokens', 'day', 'month'] as const;

export type Counter = (typeof COUNTERS)[number];

export const counterName = (counter: Counter, windows: Windows): string =>
  `${counter} ${windows[counter === 'requests' || counter === 'tokens' ? 'minute' : counter]}`;

export function limitOf(policy: Policy, counter: Counter): bigint {
  if (counter === 'requests') return BigInt(rpmOf(policy));
  if (counter === 'tokens') return tpmOf(policy);
  return counter === 'day' ? dailyOf(policy) : monthlyOf(policy);
}

export const leftOf = ({ counters, policy }: KeyItem, counter: Counter, windows: Windows): bigint =>
  counters.get(counterName(counter, windows)) ?? limitOf(policy, counter);

export const SECRET_HASH = 'hash';

function stateOf(item: KeyItem, windows: Windows): KeyState {
  return {
    keyId: item.keyId,
    accountId: item.accountId,
    secretHash: SECRET_HASH,
    name: 'test',
    status: item.status,
    policy: item.policy,
    version: item.version,
    created: 0,
    requestsLeft: Number(leftOf(item, 'requests', windows)),
    tokensLeft: leftOf(item, 'tokens', windows),
    dayLeft: leftOf(item, 'day', windows),
    monthLeft: leftOf(item, 'month', windows),
    ...(item.used === undefined ? {} : { used: item.used }),
    ...(item.repaired === undefined ? {} : { repaired: item.repaired }),
  };
}

export const leasedKey = (item: KeyItem, windows: Windows): LeasedKey => ({
  state: stateOf(item, windows),
  leases: new Map(item.leases),
});

export const leasedWallet = ({ balance, debt, spent, leases }: WalletItem): LeasedWallet => ({
  balance,
  debt,
  spentAmount: spent,
  leases: new Map(leases),
});

/** Both entries are undefined, or equal in every field. */
const isEntry = (found: LeaseEntry | undefined, { from }: LeaseWrite): boolean =>
  found === undefined || from === undefined
    ? found === from
    : found.amount === from.amount &&
      found.sequence === from.sequence &&
      found.expires === from.expires &&
      found.settled[0] === from.settled[0] &&
      found.settled[1] === from.settled[1];

function putEntry(leases: Map<string, LeaseEntry>, { leaseId, to }: LeaseWrite): void {
  if (to === undefined) leases.delete(leaseId);
  else leases.set(leaseId, to);
}

/** Returns whether it applied. `shards` are all shards of the wallet. */
export function writeWallet(
  item: WalletItem,
  shards: readonly WalletItem[],
  write: WalletLeaseWrite,
): boolean {
  if (!isEntry(item.leases.get(write.leaseId), write)) return false;
  if (write.across && shards.every(({ debt }) => debt === 0n)) moveCredit(item, shards, write.change);
  if (write.change > 0n && (item.balance < write.change || item.debt > 0n)) return false;
  item.balance -= write.change;
  write.costs.forEach((cost, at) => {
    item.spent += cost;
    const day = write.day + at;
    if (cost !== 0n) item.spentByDay.set(day, (item.spentByDay.get(day) ?? 0n) + cost);
  });
  putEntry(item.leases, write);
  return true;
}

/** Moves what an item lacks from the others, if all of them together have it. */
function moveCredit(item: WalletItem, shards: readonly WalletItem[], amount: NanoUsd): void {
  if (shards.reduce((sum, { balance }) => sum + balance, 0n) < amount) return;
  for (const from of shards) {
    if (from === item) continue;
    const moved = greatest(least(from.balance, amount - item.balance), 0n);
    from.balance -= moved;
    from.received -= moved;
    item.balance += moved;
    item.received += moved;
  }
}

/** Returns whether it applied. */
export function writeKey(item: KeyItem, write: KeyLeaseWrite, nowSeconds: number): boolean {
  if (!isEntry(item.leases.get(write.leaseId), write)) return false;
  const taken = [
    ['requests', BigInt(write.requests)],
    ['tokens', BigInt(write.tokens)],
    ['day', write.change],
    ['month', write.change],
  ] as const;
  const { windows } = write;
  const lacks = taken.some(([counter, by]) => by > 0n && leftOf(item, counter, windows) < by);
  if (write.asks && (item.status !== 'active' || lacks)) return false;
  for (const [counter, by] of taken)
    if (by !== 0n) item.counters.set(counterName(counter, windows), leftOf(item, counter, windows) - by);
  item.used = nowSeconds;
  putEntry(item.leases, write);
  return true;
}
