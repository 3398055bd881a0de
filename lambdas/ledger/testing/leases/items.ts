/** The items of wallets and keys as a simulated database has them, and the writes of holds and leases on them. */

import { byWindow, CAPS, type CapsLeft, capsLeft } from '../../../access/core/keys/caps.ts';
import type { KeyLeaseWrite, LeaseEntry, LeaseWrite } from '../../../access/core/keys/key-leases.ts';
import { capOf, type KeyCharge, type KeyState, rpmOf, tpmOf } from '../../../access/core/keys/key-state.ts';
import type { ChargeEnd } from '../../../access/core/keys/key-store.ts';
import type { Policy } from '../../../access/core/keys/policy.ts';
import type { Windows } from '../../../access/core/keys/windows.ts';
import { greatest, least, type NanoUsd } from '../../../platform/core/money.ts';
import type { Hold, HoldEnd, Wallet, WalletLeaseWrite } from '../../core/ports.ts';

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

export const COUNTERS = ['requests', 'tokens', ...CAPS.map(({ window }) => window)] as const;

export type Counter = (typeof COUNTERS)[number];

const windowOf = (counter: Counter): keyof Windows =>
  counter === 'requests' || counter === 'tokens' ? 'minute' : counter;

export const counterName = (counter: Counter, windows: Windows): string =>
  `${counter} ${windows[windowOf(counter)]}`;

export function limitOf(policy: Policy, counter: Counter): bigint {
  if (counter === 'requests') return BigInt(rpmOf(policy));
  if (counter === 'tokens') return tpmOf(policy);
  const [cap = CAPS[0]] = CAPS.filter(({ window }) => window === counter);
  return capOf(policy, cap);
}

export const leftOf = ({ counters, policy }: KeyItem, counter: Counter, windows: Windows): bigint =>
  counters.get(counterName(counter, windows)) ?? limitOf(policy, counter);

export const SECRET_HASH = 'hash';

export const keyStateOf = (item: KeyItem, windows: Windows): KeyState => ({
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
  ...capsLeft(({ window }) => leftOf(item, window, windows)),
  ...(item.used === undefined ? {} : { used: item.used }),
  ...(item.leases.size === 0 ? {} : { leases: new Map(item.leases) }),
  ...(item.repaired === undefined ? {} : { repaired: item.repaired }),
});

/** Some or all shards of an account as one wallet. */
export function walletOf(accountId: string, shards: readonly WalletItem[]): Wallet {
  const sum = (of: (shard: WalletItem) => NanoUsd) => shards.reduce((total, shard) => total + of(shard), 0n);
  const [balance, debt] = [sum((shard) => shard.balance), sum((shard) => shard.debt)];
  const paid = least(balance, debt);
  return {
    accountId,
    balance: balance - paid,
    debt: debt - paid,
    entries: 0,
    drift: 0n,
    spentAmount: sum(({ spent }) => spent),
    holds: shards.flatMap(({ walletId, holds, leases }) => [
      ...holds.values(),
      ...[...leases].map(([id, entry]) => ({ ...entry, id, walletId, kind: 'lease' as const })),
    ]),
  };
}

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

function spend(item: WalletItem, cost: NanoUsd, day: number): void {
  item.spent += cost;
  if (cost !== 0n) item.spentByDay.set(day, (item.spentByDay.get(day) ?? 0n) + cost);
}

/** Returns whether the item has the amount. If it lacks credit, the other shards give it. */
function covers(item: WalletItem, shards: readonly WalletItem[], amount: NanoUsd): boolean {
  if (amount <= 0n) return true;
  if (shards.some(({ debt }) => debt > 0n)) return false;
  if (item.balance < amount) moveCredit(item, shards, amount);
  return item.balance >= amount;
}

/** Returns whether it applied. `shards` are all shards of the wallet. */
export function writeWallet(
  item: WalletItem,
  shards: readonly WalletItem[],
  write: WalletLeaseWrite,
): boolean {
  if (!isEntry(item.leases.get(write.leaseId), write) || !covers(item, shards, write.change)) return false;
  item.balance -= write.change;
  for (const [at, cost] of write.costs.entries()) spend(item, cost, write.day + at);
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

/** Returns whether the hold is there then. A simulated shard has room for any number of holds; the real engine's tests grow. */
export function placeHold(item: WalletItem, shards: readonly WalletItem[], hold: Hold): boolean {
  if (shards.some(({ holds }) => holds.has(hold.id))) return true;
  if (!covers(item, shards, hold.amount)) return false;
  item.balance -= hold.amount;
  item.holds.set(hold.id, { ...hold, walletId: item.walletId });
  return true;
}

const SECONDS_A_DAY = 86_400;

/** Returns whether that hold was there. */
export function endHold(item: WalletItem, { id, amount, attempt, cost, recorded }: HoldEnd): boolean {
  const found = item.holds.get(id);
  if (found === undefined || found.amount !== amount || found.attempt !== attempt) return false;
  item.holds.delete(id);
  item.balance += amount - cost;
  spend(item, cost, Math.floor(recorded / SECONDS_A_DAY));
  return true;
}

type Amounts = Readonly<Record<Counter, bigint>>;

const amountsOf = (requests: number, tokens: number, amount: NanoUsd): Amounts => ({
  requests: BigInt(requests),
  tokens: BigInt(tokens),
  ...byWindow(() => amount),
});

const hasLeft = (item: KeyItem, windows: Windows, amounts: Amounts): boolean =>
  COUNTERS.every((counter) => amounts[counter] <= 0n || leftOf(item, counter, windows) >= amounts[counter]);

function take(item: KeyItem, windows: Windows, amounts: Amounts): void {
  for (const counter of COUNTERS)
    if (amounts[counter] !== 0n)
      item.counters.set(counterName(counter, windows), leftOf(item, counter, windows) - amounts[counter]);
}

/** Returns whether it applied. */
export function writeKey(item: KeyItem, write: KeyLeaseWrite, nowSeconds: number): boolean {
  if (!isEntry(item.leases.get(write.leaseId), write)) return false;
  const { windows, change } = write;
  const amounts = amountsOf(write.requests, write.tokens, change);
  if (write.asks && (item.status !== 'active' || !hasLeft(item, windows, amounts))) return false;
  take(item, windows, amounts);
  item.used = nowSeconds;
  putEntry(item.leases, write);
  return true;
}

/** Returns whether it applied. */
export function chargeKey(
  item: KeyItem,
  { windows, tokens, amount }: KeyCharge,
  nowSeconds: number,
): boolean {
  const amounts = amountsOf(1, tokens, amount);
  if (item.status !== 'active' || !hasLeft(item, windows, amounts)) return false;
  take(item, windows, amounts);
  if (amount > 0n) item.used = nowSeconds;
  return true;
}

/** Credits the windows that are current. Returns whether the caps are as they were at the charge. */
export function settleCharge(
  item: KeyItem,
  { windows, repaired, unused }: ChargeEnd,
  current: Windows,
): boolean {
  if (item.repaired !== repaired) return false;
  const amounts = amountsOf(unused.requests, unused.tokens, unused.amount);
  for (const counter of COUNTERS) {
    const name = counterName(counter, windows);
    const isCurrent = windows[windowOf(counter)] === current[windowOf(counter)];
    const left = item.counters.get(name);
    if (isCurrent && left !== undefined) item.counters.set(name, left + amounts[counter]);
  }
  return true;
}

/** Takes a cost from the caps, whatever they have left. */
export function takeCost(item: KeyItem, cost: NanoUsd, windows: Windows, nowSeconds: number): void {
  take(item, windows, amountsOf(0, 0, cost));
  item.used = nowSeconds;
}

/** Returns whether the key was as it was read. */
export function repairKey(item: KeyItem, from: KeyState, windows: Windows, left: CapsLeft): boolean {
  const isSame =
    item.used === from.used &&
    item.version === from.version &&
    CAPS.every((cap) => leftOf(item, cap.window, windows) === from[cap.left]);
  if (!isSame) return false;
  for (const cap of CAPS) item.counters.set(counterName(cap.window, windows), left[cap.left]);
  item.repaired = item.used;
  return true;
}
