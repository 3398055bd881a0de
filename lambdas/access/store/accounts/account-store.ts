/** Accounts in DynamoDB; off the hot path, so an account and its wallet are written in one transaction. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Item, readText, text } from '../../../platform/dynamodb/attribute-values.ts';
import { emptyWallet } from '../../../platform/dynamodb/empty-wallet.ts';
import { readItem } from '../../../platform/dynamodb/reads.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import { updateItem } from '../../../platform/dynamodb/update-item.ts';
import type { Account, AccountStore } from '../../core/accounts/accounts.ts';
import { encodeAccount, readAccount } from './account-item.ts';

export interface AccountTables {
  readonly accounts: string;
  readonly wallets: string;
  readonly identities: string;
}

export class DynamoAccountStore implements AccountStore {
  readonly #client: DynamoDBClient;
  readonly #tables: AccountTables;

  constructor(client: DynamoDBClient, tables: AccountTables) {
    this.#client = client;
    this.#tables = tables;
  }

  async open(account: Account, identity?: string): Promise<boolean> {
    const { accounts, wallets, identities } = this.#tables;
    const { id } = account;
    const fresh = (table: string, item: Item, name: string) => ({
      Put: { TableName: table, Item: item, ConditionExpression: `attribute_not_exists(${name})` },
    });
    const puts = [
      ...(identity === undefined
        ? []
        : [fresh(identities, { identity: text(identity), account_id: text(id) }, 'account_id')]),
      fresh(accounts, encodeAccount(account), 'account_id'),
      fresh(wallets, emptyWallet(id), 'wallet_id'),
    ];
    const result = await transact(this.#client, puts);
    if (result.done) return true;
    if (identity !== undefined && result.failed.includes(0)) return false;
    throw new Error(`there is an account ${id} already`);
  }

  async bind(identity: string, accountId: string): Promise<void> {
    await updateItem(this.#client, {
      TableName: this.#tables.identities,
      Key: { identity: text(identity) },
      UpdateExpression: 'SET account_id = if_not_exists(account_id, :account)',
      ExpressionAttributeValues: { ':account': text(accountId) },
    });
  }

  async findByIdentity(identity: string): Promise<Account | undefined> {
    const key = { TableName: this.#tables.identities, Key: { identity: text(identity) } };
    const item = await readItem(this.#client, key);
    return item === undefined ? undefined : this.find(readText(item, 'account_id'));
  }

  find(accountId: string): Promise<Account | undefined> {
    return readAccount(this.#client, this.#tables.accounts, accountId);
  }
}
