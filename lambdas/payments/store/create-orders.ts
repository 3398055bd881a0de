/** Orders on DynamoDB, from the tables that the environment names. */

import { WalletPostings } from '../../ledger/store/wallet/posting.ts';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import { systemClock } from '../../platform/system/system.ts';
import type { OrderStore } from '../core/ports.ts';
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
