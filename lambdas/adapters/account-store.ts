/** Accounts, their keys and their top-ups in DynamoDB; off the hot path, so two items change in one transaction. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { KeyState } from '../core/access/key-state.ts';
import type { Policy } from '../core/access/policy.ts';
import type { AccountStore, NewKey, TopUp } from '../core/ledger/accounts.ts';
import { number, text } from './attribute-values.ts';
import { policyExpression } from './key-expressions.ts';
import { decodeKey, encodeNewKey } from './key-item.ts';
import { encodeNewWallet } from './wallet-item.ts';

/** Only another change of the same policy is in the way. */
const MAX_POLICY_TRIES = 5;

export interface AccountTables {
  readonly accounts: string;
  readonly keys: string;
  readonly wallets: string;
}

export class DynamoAccountStore implements AccountStore {
  readonly #client: DynamoDBClient;
  readonly #tables: AccountTables;

  constructor(client: DynamoDBClient, tables: AccountTables) {
    this.#client = client;
    this.#tables = tables;
  }

  async open(account: {
    readonly id: string;
    readonly email?: string;
    readonly created: number;
  }): Promise<void> {
    const item = {
      account_id: text(account.id),
      item: text('account'),
      created: number(account.created),
      ...(account.email === undefined ? {} : { email: text(account.email) }),
    };
    const fresh = (attribute: string) => ({ ConditionExpression: `attribute_not_exists(${attribute})` });
    await this.#client.send(
      new TransactWriteItemsCommand({
        TransactItems: [
          { Put: { TableName: this.#tables.accounts, Item: item, ...fresh('account_id') } },
          {
            Put: {
              TableName: this.#tables.wallets,
              Item: encodeNewWallet(account.id),
              ...fresh('wallet_id'),
            },
          },
        ],
      }),
    );
  }

  async addKey(key: NewKey): Promise<void> {
    await this.#client.send(
      new PutItemCommand({
        TableName: this.#tables.keys,
        Item: encodeNewKey(key),
        ConditionExpression: 'attribute_not_exists(key_id)',
      }),
    );
  }

  async topUp({ accountId, id, amount, created, source }: TopUp): Promise<'credited' | 'repeated'> {
    const item = {
      account_id: text(accountId),
      item: text(`top_up#${id}`),
      amount: number(amount),
      created: number(created),
      source: text(source),
    };
    const put = {
      TableName: this.#tables.accounts,
      Item: item,
      ConditionExpression: 'attribute_not_exists(account_id)',
    };
    const credit = {
      TableName: this.#tables.wallets,
      Key: { wallet_id: text(accountId) },
      UpdateExpression: 'SET balance = balance + :amount',
      ConditionExpression: 'attribute_exists(wallet_id)',
      ExpressionAttributeValues: { ':amount': number(amount) },
    };
    try {
      await this.#client.send(
        new TransactWriteItemsCommand({ TransactItems: [{ Put: put }, { Update: credit }] }),
      );
      return 'credited';
    } catch (failure) {
      if (!(failure instanceof TransactionCanceledException)) throw failure;
      const [entry, wallet] = failure.CancellationReasons ?? [];
      if (entry?.Code === 'ConditionalCheckFailed') return 'repeated';
      if (wallet?.Code === 'ConditionalCheckFailed') throw new Error(`there is no account ${accountId}`);
      throw failure;
    }
  }

  async setPolicy(keyId: string, policy: Policy): Promise<void> {
    for (let tries = 0; tries < MAX_POLICY_TRIES; tries += 1) {
      const key = { TableName: this.#tables.keys, Key: { key_id: text(keyId) } };
      const { Item: item } = await this.#client.send(new GetItemCommand({ ...key, ConsistentRead: true }));
      if (item === undefined) throw new Error(`there is no key ${keyId}`);
      try {
        await this.#client.send(
          new UpdateItemCommand({ ...key, ...policyExpression(decodeKey(item), policy) }),
        );
        return;
      } catch (failure) {
        if (!(failure instanceof ConditionalCheckFailedException)) throw failure;
      }
    }
    throw new Error(`the policy of ${keyId} is being changed by somebody else: try again`);
  }

  async setStatus(keyId: string, status: KeyState['status']): Promise<void> {
    try {
      await this.#client.send(
        new UpdateItemCommand({
          TableName: this.#tables.keys,
          Key: { key_id: text(keyId) },
          UpdateExpression: 'SET #status = :status',
          ConditionExpression: 'attribute_exists(key_id)',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':status': text(status) },
        }),
      );
    } catch (failure) {
      if (failure instanceof ConditionalCheckFailedException) throw new Error(`there is no key ${keyId}`);
      throw failure;
    }
  }
}
