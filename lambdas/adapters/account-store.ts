/** Accounts, their keys and their top-ups in DynamoDB; off the hot path, so two items change in one transaction. */
import {
  type DynamoDBClient,
  PutItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { AccountStore, NewKey, TopUp } from '../core/ledger/accounts.ts';
import { number, text } from './attribute-values.ts';
import { encodeNewKey } from './key-item.ts';
import { encodeNewWallet } from './wallet-item.ts';

export interface AccountTables {
  readonly accounts: string;
  readonly keys: string;
  readonly wallets: string;
}

export function createAccountStore(client: DynamoDBClient, tables: AccountTables): AccountStore {
  async function open(account: {
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
    await client.send(
      new TransactWriteItemsCommand({
        TransactItems: [
          { Put: { TableName: tables.accounts, Item: item, ...fresh('account_id') } },
          { Put: { TableName: tables.wallets, Item: encodeNewWallet(account.id), ...fresh('wallet_id') } },
        ],
      }),
    );
  }

  async function addKey(key: NewKey): Promise<void> {
    await client.send(
      new PutItemCommand({
        TableName: tables.keys,
        Item: encodeNewKey(key),
        ConditionExpression: 'attribute_not_exists(key_id)',
      }),
    );
  }

  async function topUp({ accountId, id, amount, created, source }: TopUp): Promise<'credited' | 'repeated'> {
    const item = {
      account_id: text(accountId),
      item: text(`top_up#${id}`),
      amount: number(amount),
      created: number(created),
      source: text(source),
    };
    const put = {
      TableName: tables.accounts,
      Item: item,
      ConditionExpression: 'attribute_not_exists(account_id)',
    };
    const credit = {
      TableName: tables.wallets,
      Key: { wallet_id: text(accountId) },
      UpdateExpression: 'SET balance = balance + :amount',
      ConditionExpression: 'attribute_exists(wallet_id)',
      ExpressionAttributeValues: { ':amount': number(amount) },
    };
    try {
      await client.send(new TransactWriteItemsCommand({ TransactItems: [{ Put: put }, { Update: credit }] }));
      return 'credited';
    } catch (failure) {
      if (!(failure instanceof TransactionCanceledException)) throw failure;
      const [entry, wallet] = failure.CancellationReasons ?? [];
      if (entry?.Code === 'ConditionalCheckFailed') return 'repeated';
      if (wallet?.Code === 'ConditionalCheckFailed') throw new Error(`there is no account ${accountId}`);
      throw failure;
    }
  }

  return { open, addKey, topUp };
}
