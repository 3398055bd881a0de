/**
 * The payable money of a wallet to which granted credit is added. The balances that still cover it are conditions of the
 * posting, so that no concurrent call uses them up; what is held or leased covers nothing.
 */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { greatest, least, type NanoUsd } from '../../../platform/core/money.ts';
import { number, text } from '../../../platform/dynamodb/attribute-values.ts';
import { unspentCash } from '../../core/ledger-entry.ts';
import type { Shard } from './item.ts';
import type { ShardUpdate } from './update.ts';

/** A transaction has room for 100 items. */
const MAX_COVERS = 45;

/** Readings that require all that covers the money. Each further one means that a call moved a balance within milliseconds. */
const WHOLE_READINGS = 6;

/** The conditions of the first shard, and of those that cover the money with it. */
export interface CashCover extends Pick<ShardUpdate, 'conditions' | 'values'> {
  /** Money that no balance covers any more, and that is payable no longer. */
  readonly usedUp: NanoUsd;
  readonly checks: readonly TransactWriteItem[];
}

/** The cover of an account without payable money, which has nothing to use up. */
export const NO_CASH = {
  conditions: ['(attribute_not_exists(payable_cash) OR payable_cash <= :nothing)'],
  values: { ':nothing': number(0) },
} satisfies Partial<CashCover>;

/**
 * Covers the payable money from the first shard, and then the richest. Under load, each further reading requires
 * half as much of half as many shards, so that the posting ends: then less stays payable, and never more.
 */
export function coverCash(table: string, shards: readonly Shard[], readings: number): Partial<CashCover> {
  const [first, ...others] = shards;
  if (first === undefined) return {};
  const { payableCash, debt } = first;
  const halvings = Math.max(0, readings - WHOLE_READINGS);
  const richest = others.toSorted((a, b) => (a.balance < b.balance ? 1 : -1));
  let missing = debt === undefined ? greatest(payableCash, 0n) : 0n;
  const covers = [first, ...richest].slice(0, Math.max(1, MAX_COVERS >> halvings)).map((shard) => {
    const amount = least(shard.balance >> BigInt(halvings), missing);
    missing -= amount;
    return { walletId: shard.walletId, amount };
  });
  const covered = covers.reduce((total, { amount }) => total + amount, 0n);
  const isUnread = payableCash === 0n ? 'attribute_not_exists(payable_cash) OR ' : '';
  return {
    usedUp: payableCash - unspentCash(payableCash, covered - (debt ?? 0n)),
    conditions: [`(${isUnread}payable_cash = :payable)`, 'balance >= :covered'],
    values: { ':payable': number(payableCash), ':covered': number(covers[0]?.amount ?? 0n) },
    checks: covers
      .slice(1)
      .filter(({ amount }) => amount > 0n)
      .map(({ walletId, amount }) => ({
        ConditionCheck: {
          TableName: table,
          Key: { wallet_id: text(walletId) },
          ConditionExpression: 'balance >= :covered',
          ExpressionAttributeValues: { ':covered': number(amount) },
        },
      })),
  };
}
