/** Top-ups and refunds in DynamoDB: an entry and the balance change in one transaction. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import { systemClock, systemUlid } from '../../platform/system/system.ts';
import { type CreditStore, Credits, type TopUp } from '../core/credits.ts';
import { walletChangeOf } from '../core/ledger-entry.ts';
import { putEntry } from './ledger-entry.ts';
import { WalletPostings } from './wallet/posting.ts';

export interface CreditTables {
  readonly accounts: string;
  readonly wallets: string;
}

export class DynamoCreditStore implements CreditStore {
  readonly #tables: CreditTables;
  readonly #postings: WalletPostings;

  constructor(client: DynamoDBClient, tables: CreditTables) {
    this.#tables = tables;
    this.#postings = new WalletPostings(client, tables.wallets);
  }

  async topUp(entry: TopUp): ReturnType<CreditStore['topUp']> {
    return (await this.#post('top_up', entry)) ? 'credited' : 'repeated';
  }

  async takeBack(entry: TopUp): ReturnType<CreditStore['takeBack']> {
    return (await this.#post('refund', entry)) ? 'taken' : 'repeated';
  }

  /** Creates the entry. Returns false if it already existed. */
  async #post(
    kind: 'top_up' | 'refund',
    { accountId, id, amount, created, source }: TopUp,
  ): Promise<boolean> {
    const location = { table: this.#tables.accounts, accountId, created };
    // An operator grants and takes back credit that nobody has paid for.
    const entry = { kind, id, amount, cash: 0n, source };
    const result = await this.#postings.post(accountId, walletChangeOf([entry]), [putEntry(location, entry)]);
    if (result === 'no wallet') throw new Error(`there is no account ${accountId}`);
    return result === 'posted';
  }
}

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
