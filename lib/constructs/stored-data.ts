/** The data that survives a deployment, for the constructs that use it. A separate stack creates it. */
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { SecretVariable } from '../../lambdas/platform/contract/environment.ts';
import type { TableName } from '../../lambdas/platform/contract/tables.ts';

export interface StoredData {
  /** Without those that the settings leave out. */
  readonly tables: Readonly<Partial<Record<TableName, ITable>>>;
  /** The name of the bucket of builds; undefined without a market. */
  readonly buildsBucket: string | undefined;
  /** The secrets, each under the variable that holds its name in a function. */
  readonly secrets: Readonly<Record<SecretVariable, Secret>>;
}
