/** Orders on DynamoDB, from the tables that the environment names. */
import { requireTable } from '../../contract/tables.ts';
import type { OrderStore } from '../../core/payments/ports.ts';
import type { DynamoClients } from '../aws/clients.ts';
import { WalletPostings } from '../ledger/wallet/posting.ts';
import { systemClock } from '../system/system.ts';
import { DynamoOrderStore } from './order-store.ts';

export interface OrdersOptions {
  readonly clients: DynamoClients;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function createOrderStore({ clients, environment }: OrdersOptions): OrderStore {
  const { client } = clients;
  return new DynamoOrderStore({
    client,
    table: requireTable(environment, 'accounts'),
    postings: new WalletPostings(client, requireTable(environment, 'wallets')),
    clock: systemClock,
  });
}
