/** The books of all accounts from the items themselves: whether they balance to the nano-dollar, and each wallet item too. */

import { decodeEntry, ENTRY_RANGE } from '../../../../lambdas/ledger/store/ledger-entry.ts';
import type { NanoUsd } from '../../../../lambdas/platform/core/money.ts';
import {
  type Item,
  readInteger,
  readMap,
  readText,
} from '../../../../lambdas/platform/dynamodb/attribute-values.ts';

export interface LedgerItems {
  readonly accounts: readonly Item[];
  readonly wallets: readonly Item[];
  readonly usage: readonly Item[];
}

export interface LedgerCheck {
  /** Sum over the accounts of |entries - balance - holds - usage + owed|. */
  readonly drift: NanoUsd;
  /** Sum over the shards of |received - balance - holds - spent + owed|. */
  readonly driftOfShards: NanoUsd;
  readonly openHolds: number;
  readonly records: number;
  /** Items of the wallet that has most. */
  readonly shards: number;
}

const SIGNS = { top_up: 1n, sale: 1n, refund: -1n, purchase: -1n } as const;

/** The books of items that no call changes meanwhile. */
export function checkLedger({ accounts, wallets, usage }: LedgerItems): LedgerCheck {
  const differences = new Map<string, NanoUsd>();
  const add = (account: string, amount: NanoUsd) =>
    differences.set(account, (differences.get(account) ?? 0n) + amount);
  for (const item of accounts) {
    if (!isEntry(item)) continue;
    const { kind, amount } = decodeEntry(item);
    add(readText(item, 'account_id'), SIGNS[kind] * amount);
  }
  const shards = new Map<string, number>();
  let [driftOfShards, openHolds] = [0n, 0];
  for (const item of wallets) {
    const account = readText(item, 'wallet_id').split('#')[0] ?? '';
    shards.set(account, (shards.get(account) ?? 0) + 1);
    const holds = Object.values(readMap(item, 'holds'));
    openHolds += holds.length;
    const has = holds.reduce(
      (total, { S: hold = '' }) => total + BigInt(hold.split('|')[2] ?? ''),
      readInteger(item, 'balance') - optional(item, 'owed'),
    );
    add(account, -has);
    driftOfShards += magnitude(optional(item, 'received') - has - optional(item, 'spent'));
  }
  for (const item of usage) add(readText(item, 'account_id'), -readInteger(item, 'cost'));
  const drift = [...differences.values()].reduce((total, difference) => total + magnitude(difference), 0n);
  return { drift, driftOfShards, openHolds, records: usage.length, shards: Math.max(0, ...shards.values()) };
}

function isEntry(item: Item): boolean {
  const key = readText(item, 'item');
  return key >= (ENTRY_RANGE[':first'].S ?? '') && key <= (ENTRY_RANGE[':last'].S ?? '');
}

const optional = (item: Item, name: string): bigint =>
  item[name] === undefined ? 0n : readInteger(item, name);

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);
