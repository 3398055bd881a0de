/** Payouts on DynamoDB, from the tables that the environment names. */
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import { DynamoPayoutStore } from './payouts/payout-store.ts';

export interface PayoutOptions {
  readonly clients: DynamoClients;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const createPayoutStore = ({ clients, environment }: PayoutOptions): DynamoPayoutStore =>
  new DynamoPayoutStore(clients.client, {
    market: requireTable(environment, 'market'),
    listings: requireTable(environment, 'listings'),
  });
