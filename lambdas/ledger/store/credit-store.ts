/** Top-ups and refunds in DynamoDB: an entry and the balance change in one transaction. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import { readItem } from '../../platform/dynamodb/reads.ts';
import { systemClock, systemUlid } from '../../platform/system/system.ts';
import { type CreditStore, Credits, type TopUp } from '../core/credits.ts';
import { walletChangeOf } from '../core/ledger-entry.ts';
import { entryKey, putEntry } from './ledger-entry.ts';
import { WalletPostings } from './wallet/posting.ts';

export interface CreditTables {
  readonly accounts: string;
  readonly wallets: string;
}

export class DynamoCreditStore implements CreditStore {
  readonly #client: DynamoDBClient;
  readonly #tables: CreditTables;
  readonly #postings: WalletPostings;

  constructor(client: DynamoDBClient, tables: CreditTables) {
    this.#client = client;
    this.#tables = tables;
    this.#postings = new WalletPostings(client, tables.wallets);
  }

  async topUp({ accountId, created, ...topUp }: TopUp): ReturnType<CreditStore['topUp']> {
    const location = { table: this.#tables.accounts, accountId, created };
    const entry = { ...topUp, kind: 'top_up' as const, cash: 0n };
    const result = await this.#postings.post(accountId, walletChangeOf([entry]), [putEntry(location, entry)]);
    if (result === 'no wallet') throw noAccount(accountId);
    return result === 'posted' ? 'credited' : 'repeated';
  }

  async takeFree({ accountId, created, ...refund }: TopUp): ReturnType<CreditStore['takeFree']> {
    const location = { table: this.#tables.accounts, accountId, created };
    const entry = { ...refund, kind: 'refund' as const, cash: 0n };
    const result = await this.#postings.deduct(accountId, refund.amount, [putEntry(location, entry)]);
    if (result === 'no wallet') throw noAccount(accountId);
    if (result !== 'not covered') return result === 'posted' ? 'taken' : 'repeated';
    // The first request may have left less than the amount.
    const key = { TableName: this.#tables.accounts, Key: entryKey(accountId, 'refund', refund.id) };
    return (await readItem(this.#client, key)) === undefined ? 'not covered' : 'repeated';
  }
}

const noAccount = (accountId: string): Error => new Error(`there is no account ${accountId}`);

export interface CreditOptions {
  readonly clients: DynamoClients;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Credits on the tables that the environment names. */
export function createCredits({ clients, environment }: CreditOptions): Credits {
  const tables = {
    accounts: requireTable(environment, 'accounts'),
    wallets: requireTable(environment, 'wallets'),
  };
  const store = new DynamoCreditStore(clients.client, tables);
  return new Credits({ store, clock: systemClock, ulid: systemUlid });
}
