/** Sellers' balances on DynamoDB, and the terms of sales, as the environment names them. */
import { createOrderStore } from '../../payments/store/create-orders.ts';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import {
  MATURITY_VARIABLE,
  requirePositiveInteger,
  requireVariable,
  VARIABLES,
} from '../../platform/contract/environment.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import type { SaleTerms } from '../core/purchases/purchases.ts';
import { DynamoEarningsStore } from './earnings/earnings-store.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Most disputes are opened within a week; a bank may take back the money for some months. */
const MATURITY_SECONDS = 7 * 86_400;

export const maturityOf = (environment: Environment): number =>
  environment[MATURITY_VARIABLE] === undefined
    ? MATURITY_SECONDS
    : requirePositiveInteger(environment, MATURITY_VARIABLE);

/** Throws an error that names a variable that is missing or malformed. */
export function readSaleTerms(environment: Environment): SaleTerms {
  const fee = requireVariable(environment, VARIABLES.marketFeeBasisPoints);
  if (!/^\d{1,5}$/.test(fee)) throw new Error(`${VARIABLES.marketFeeBasisPoints} must be basis points`);
  return { feeBasisPoints: Number(fee), maturitySeconds: maturityOf(environment) };
}

export interface EarningsOptions {
  readonly clients: DynamoClients;
  readonly environment: Environment;
}

export function createEarningsStore({ clients, environment }: EarningsOptions): DynamoEarningsStore {
  const tables = {
    market: requireTable(environment, 'market'),
    accounts: requireTable(environment, 'accounts'),
    wallets: requireTable(environment, 'wallets'),
    listings: requireTable(environment, 'listings'),
  };
  return new DynamoEarningsStore({
    client: clients.client,
    tables,
    orders: createOrderStore({ clients, environment }),
  });
}
