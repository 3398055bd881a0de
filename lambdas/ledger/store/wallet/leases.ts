/**
 * The leases of wallets in DynamoDB. An entry is stored in one shard, in the map of the holds, and is written as a whole. What
 * a shard lacks comes from the others in one transaction.
 */

import type { LeaseResult } from '../../../access/core/key-leases.ts';
import type { DynamoClients } from '../../../platform/aws/clients.ts';
import type { NanoUsd } from '../../../platform/core/money.ts';
import { number, text } from '../../../platform/dynamodb/attribute-values.ts';
import { updateItem } from '../../../platform/dynamodb/update-item.ts';
import type { Wallet, WalletLeaseWrite } from '../../core/ports.ts';
import type { WalletHolds } from './holds.ts';
import { accountOf, decodeShard, encodeLeaseHold, MAX_HOLDS, spentOn, toWallet } from './item.ts';
import { WalletReads } from './reads.ts';
import { chooseDonors, type TransferSource, WalletTransfers } from './transfer.ts';

/** Returns the update of a shard, to which other shards add `given` in the same transaction. */
function leaseUpdate(table: string, write: WalletLeaseWrite, given: NanoUsd = 0n) {
  const { walletId, leaseId, from, to, change, day, costs } = write;
  const paid = costs
    .map((cost, at) => ({ cost, day: spentOn(day + at), at }))
    .filter(({ cost }) => cost !== 0n);
  const total = costs[0] + costs[1];
  return {
    TableName: table,
    Key: { wallet_id: text(walletId) },
    UpdateExpression: [
      `SET ${[
        'balance = balance + :change',
        ...(to === undefined ? [] : ['holds.#lease = :to']),
        ...(paid.length === 0 ? [] : ['spent = spent + :spent']),
        ...paid.map(({ at }) => `#day${at} = if_not_exists(#day${at}, :zero) + :cost${at}`),
        ...(given === 0n
          ? []
          : ['entries = if_not_exists(entries, :zero) + :one', 'received = received + :given']),
      ].join(', ')}`,
      ...(to === undefined ? ['REMOVE holds.#lease'] : []),
    ].join(' '),
    ConditionExpression: [
      from === undefined
        ? 'attribute_exists(wallet_id) AND attribute_not_exists(holds.#lease)'
        : 'holds.#lease = :from',
      ...(change > 0n ? ['balance >= :least AND attribute_not_exists(owed)'] : []),
    ].join(' AND '),
    ExpressionAttributeNames: {
      '#lease': leaseId,
      ...Object.fromEntries(paid.map((each) => [`#day${each.at}`, each.day])),
    },
    ExpressionAttributeValues: {
      ':change': number(given - change),
      ...(from === undefined ? {} : { ':from': encodeLeaseHold(from) }),
      ...(to === undefined ? {} : { ':to': encodeLeaseHold(to) }),
      ...(change > 0n ? { ':least': number(change > given ? change - given : 0n) } : {}),
      ...(paid.length === 0 ? {} : { ':spent': number(total) }),
      ...(paid.length === 0 && given === 0n ? {} : { ':zero': number(0) }),
      ...(given === 0n ? {} : { ':one': number(1), ':given': number(given) }),
      ...Object.fromEntries(paid.map(({ at, cost }) => [`:cost${at}`, number(cost)])),
    },
  };
}

export class WalletLeases {
  readonly #clients: DynamoClients;
  readonly #table: string;
  readonly #holds: WalletHolds;
  readonly #reads: WalletReads;
  readonly #transfers: WalletTransfers;

  /** `holds` makes more shards when they are full. */
  constructor(clients: DynamoClients, table: string, holds: WalletHolds) {
    this.#clients = clients;
    this.#table = table;
    this.#holds = holds;
    this.#reads = new WalletReads(clients.client, table);
    this.#transfers = new WalletTransfers(clients.client, table);
  }

  /** Implements `WalletStore.writeLease`. */
  async write(write: WalletLeaseWrite): Promise<LeaseResult<Wallet>> {
    const { client, onceClient } = this.#clients;
    const accountId = accountOf(write.walletId);
    const isOpening = write.from === undefined;
    const { applied, item, copies } = await updateItem(isOpening ? onceClient : client, {
      ...leaseUpdate(this.#table, write),
      ReturnValues: 'ALL_NEW',
    });
    const shard = item && decodeShard(item);
    this.#holds.cacheCount(shard);
    if (isOpening && applied && shard !== undefined && shard.holds.length > MAX_HOLDS)
      this.#holds.addCapacity(accountId, write.walletId).catch(() => {});
    const isShort = !applied && shard !== undefined && shard.balance < write.change;
    if (isShort && this.#holds.countOf(accountId) > 1) return this.#writeAcross(accountId, write);
    return { applied, item: shard && toWallet(accountId, [shard]), copies };
  }

  /** The item that a refusal returns has the balance of all shards: what the wallet has is then final. */
  async #writeAcross(accountId: string, write: WalletLeaseWrite): Promise<LeaseResult<Wallet>> {
    const shards = await this.#reads.readAll(accountId);
    this.#holds.cacheCount(shards[0]);
    const target = shards.find(({ walletId }) => walletId === write.walletId);
    if (target === undefined) return { applied: false, item: undefined, copies: 1 };
    const { balance } = toWallet(accountId, shards);
    const refused = { applied: false, item: { ...toWallet(accountId, [target]), balance }, copies: 1 };
    if (balance < write.change || shards.some(({ debt }) => debt !== undefined)) return refused;
    const donors = chooseDonors(shards, target, { amount: write.change });
    if (donors === undefined) return refused;
    const given = donors.reduce((sum: NanoUsd, { amount }: TransferSource) => sum + amount, 0n);
    const applied = await this.#transfers.receive(leaseUpdate(this.#table, write, given), donors);
    const after = await this.#reads.read(write.walletId);
    // The transaction is sent with a token, and the entry shows whether an unanswered copy of it was executed.
    return { applied, item: after && toWallet(accountId, [after]), copies: Number.POSITIVE_INFINITY };
  }
}
