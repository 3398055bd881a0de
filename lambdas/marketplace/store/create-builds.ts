/** Builds on DynamoDB and S3, as the environment names them. */
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { requireVariable, VARIABLES } from '../../platform/contract/environment.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import { DynamoBuildStore } from './builds/build-store.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface BuildsOptions {
  readonly clients: Pick<DynamoClients, 'client'>;
  readonly environment: Environment;
}

export const marketTables = (environment: Environment) => ({
  market: requireTable(environment, 'market'),
  listings: requireTable(environment, 'listings'),
});

export const createBuildStore = ({ clients, environment }: BuildsOptions): DynamoBuildStore =>
  new DynamoBuildStore(clients.client, marketTables(environment));

export const bucketOf = (environment: Environment): string =>
  requireVariable(environment, VARIABLES.buildsBucket);

/** The name of the scanner; `none` if there is none. */
export const scannerOf = (environment: Environment): string =>
  requireVariable(environment, VARIABLES.buildScan);
