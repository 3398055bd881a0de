/** Wallets in DynamoDB: balance and open holds in one item, so that each step of a hold is one conditional write. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  TransactionConflictException,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { KINDS, type Kind } from '../core/access/policy.ts';
import type { Hold, HoldEnd, HoldResult, Wallet, WalletStore } from '../core/ledger/ports.ts';
import type { NanoUsd } from '../core/money.ts';
import {
  type Item,
  map,
  number,
  readInteger,
  readMap,
  readNumber,
  readText,
  text,
} from './attribute-values.ts';

/** A top-up is a transaction of milliseconds; an update that meets one waits for it this often. */
const MAX_CONFLICTS = 5;
const CONFLICT_PAUSE_MS = 20;

/** Each further try needs the balance to have fallen meanwhile; after as many the hold stays as it is. */
const MAX_GROW_TRIES = 5;

interface UpdateResult {
  readonly applied: boolean;
  readonly item: Item | undefined;
}

export function createWalletStore(client: DynamoDBClient, table: string): WalletStore {
  const keyOf = (accountId: string) => ({ TableName: table, Key: { wallet_id: text(accountId) } });

  async function update(command: UpdateItemCommandInput): Promise<UpdateResult> {
    for (let conflicts = 0; ; conflicts += 1) {
      try {
        const { Attributes: item } = await client.send(
          new UpdateItemCommand({ ...command, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
        );
        return { applied: true, item };
      } catch (failure) {
        if (failure instanceof ConditionalCheckFailedException) return { applied: false, item: failure.Item };
        if (!(failure instanceof TransactionConflictException) || conflicts === MAX_CONFLICTS) throw failure;
        await new Promise((resolve) => setTimeout(resolve, CONFLICT_PAUSE_MS * (conflicts + 1)));
      }
    }
  }

  async function hold(accountId: string, wanted: Hold): Promise<HoldResult> {
    const { applied, item } = await update({
      ...keyOf(accountId),
      UpdateExpression: 'SET balance = balance - :amount, holds.#id = :hold',
      ConditionExpression: 'balance >= :amount AND attribute_not_exists(holds.#id)',
      ExpressionAttributeNames: { '#id': wanted.id },
      ExpressionAttributeValues: { ':amount': number(wanted.amount), ':hold': encodeHold(wanted) },
      ReturnValues: 'ALL_NEW',
    });
    if (item === undefined) return { granted: false, wallet: undefined };
    const wallet = decodeWallet(accountId, item);
    // The SDK repeats a request whose answer was lost: then the hold is there already, and it is ours.
    return { granted: applied || wallet.holds.some(({ id }) => id === wanted.id), wallet };
  }

  async function growHold(accountId: string, held: Hold, target: NanoUsd): Promise<NanoUsd> {
    let available = target - held.amount;
    for (let tries = 0; tries < MAX_GROW_TRIES && available > 0n; tries += 1) {
      const grown = held.amount + available;
      const { applied, item } = await update({
        ...keyOf(accountId),
        UpdateExpression: 'SET balance = balance - :more, holds.#id.amount = :grown',
        ConditionExpression: 'balance >= :more AND holds.#id.amount = :amount',
        ExpressionAttributeNames: { '#id': held.id },
        ExpressionAttributeValues: {
          ':more': number(available),
          ':grown': number(grown),
          ':amount': number(held.amount),
        },
      });
      if (applied) return grown;
      const wallet = item === undefined ? undefined : decodeWallet(accountId, item);
      const current = wallet?.holds.find(({ id }) => id === held.id);
      if (wallet === undefined || current === undefined) return held.amount;
      if (current.amount !== held.amount) return current.amount;
      available = wallet.balance < available ? wallet.balance : available;
    }
    return held.amount;
  }

  async function endHold(accountId: string, { id, amount, cost }: HoldEnd): Promise<NanoUsd | undefined> {
    const { applied, item } = await update({
      ...keyOf(accountId),
      UpdateExpression: 'SET balance = balance + :refund REMOVE holds.#id',
      ConditionExpression: 'holds.#id.amount = :amount',
      ExpressionAttributeNames: { '#id': id },
      ExpressionAttributeValues: { ':refund': number(amount - cost), ':amount': number(amount) },
      ReturnValues: 'UPDATED_NEW',
    });
    return applied && item !== undefined ? readInteger(item, 'balance') : undefined;
  }

  async function read(accountId: string): Promise<Wallet | undefined> {
    const { Item: item } = await client.send(
      new GetItemCommand({ ...keyOf(accountId), ConsistentRead: true }),
    );
    return item === undefined ? undefined : decodeWallet(accountId, item);
  }

  return { hold, growHold, endHold, read };
}

/** A wallet with no holds; the map must exist before the first hold is written into it. */
export function encodeNewWallet(accountId: string): Item {
  return { wallet_id: text(accountId), balance: number(0), holds: map({}) };
}

function encodeHold(hold: Hold) {
  return map({
    key: text(hold.keyId),
    kind: text(hold.kind),
    amount: number(hold.amount),
    created: number(hold.created),
    expires: number(hold.expires),
  });
}

export function decodeWallet(accountId: string, item: Item): Wallet {
  const holds = Object.entries(readMap(item, 'holds')).map(([id, value]): Hold => {
    const hold = value.M ?? {};
    return {
      id,
      keyId: readText(hold, 'key'),
      kind: readKind(readText(hold, 'kind')),
      amount: readInteger(hold, 'amount'),
      created: readNumber(hold, 'created'),
      expires: readNumber(hold, 'expires'),
    };
  });
  return { accountId, balance: readInteger(item, 'balance'), holds };
}

export function readKind(value: string): Kind {
  const kind = KINDS.find((candidate) => candidate === value);
  if (kind === undefined) throw new Error('not a kind of call');
  return kind;
}
