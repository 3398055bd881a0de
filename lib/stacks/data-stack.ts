/** Everything that must survive: tables and secrets, retained and protected from deletion. */
import { CfnOutput, RemovalPolicy, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { outputName, VARIABLES } from '../../lambdas/contract/environment.ts';
import { TABLES, type TableName, type Table as TableSpec } from '../../lambdas/contract/tables.ts';
import type { Config } from '../config/config.ts';

const text = (name: string) => ({ name, type: AttributeType.STRING });

export interface DataStackProps extends StackProps {
  readonly config: Config;
}

export class DataStack extends Stack {
  readonly tables: Readonly<Record<TableName, Table>>;
  readonly keyPepper: Secret;

  constructor(scope: Construct, id: string, props: DataStackProps) {
    super(scope, id, props);
    this.tables = Object.fromEntries(
      Object.entries(TABLES).map(([name, spec]) => [name, this.#table(name, spec, props.config)]),
    ) as Record<TableName, Table>;
    this.keyPepper = new Secret(this, 'KeyPepper', {
      description: 'Pepper under which API keys are signed; losing it voids every key',
      generateSecretString: {
        secretStringTemplate: '{}',
        generateStringKey: 'current',
        passwordLength: 64,
        excludePunctuation: true,
      },
      removalPolicy: RemovalPolicy.RETAIN,
    });
    for (const [name, spec] of Object.entries(TABLES)) {
      this.#output(spec.variable, this.tables[name as TableName].tableName);
    }
    this.#output(VARIABLES.keyPepperSecret, this.keyPepper.secretArn);
    Validations.of(this.keyPepper).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'Rotation voids keys signed under the old pepper, so it is a deliberate act: move current to previous.',
    });
  }

  /** The operator's command finds the deployment's resources by these. */
  #output(variable: string, value: string): void {
    new CfnOutput(this, `Output-${variable}`, { value }).overrideLogicalId(outputName(variable));
  }

  #table(name: string, spec: TableSpec, { recoveryDays }: Config): Table {
    const table = new Table(this, name[0]?.toUpperCase() + name.slice(1), {
      partitionKey: text(spec.partitionKey),
      ...(spec.sortKey === undefined ? {} : { sortKey: text(spec.sortKey) }),
      ...(spec.ttl === undefined ? {} : { timeToLiveAttribute: spec.ttl }),
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: recoveryDays,
      },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    for (const index of spec.indexes ?? []) {
      table.addGlobalSecondaryIndex({
        indexName: index.name,
        partitionKey: text(index.partitionKey),
        sortKey: text(index.sortKey),
        projectionType: ProjectionType.KEYS_ONLY,
      });
    }
    return table;
  }
}
