/**
 * Everything that must survive: tables, secrets and builds, and the bucket of recordings, which keeps nothing. None that
 * is retained has a name of ours, which it would keep from the next deployment. CloudFormation deletes secrets and builds
 * if their creation fails. Tables are protected from deletion "by any user or process" (template reference,
 * AWS::DynamoDB::GlobalTable), also from its rollback, which would end in ROLLBACK_FAILED. They are therefore retained
 * always, and created last.
 */
import { CfnOutput, RemovalPolicy, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type ITable,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { outputName, SECRET_VARIABLES, VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import { RELEASE, RELEASE_OUTPUT } from '../../lambdas/platform/contract/release.ts';
import {
  replacedVariable,
  TABLES,
  type TableName,
  type Table as TableSpec,
} from '../../lambdas/platform/contract/tables.ts';
import type { Config } from '../config/config.ts';
import { BuildsBucket } from '../constructs/builds-bucket.ts';
import { RecordingsBucket } from '../constructs/recordings-bucket.ts';
import type { StoredData } from '../constructs/stored-data.ts';
import { TableBackup } from '../constructs/table-backup.ts';

const text = (name: string) => ({ name, type: AttributeType.STRING });

interface SecretSpec {
  readonly description: string;
  /** Fields with a value that stands for none. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The field that is generated at the first deployment. */
  readonly key: string;
  /** The reason why nothing rotates it automatically. */
  readonly rotation: string;
}

const KEY_PEPPER: SecretSpec = {
  description: 'Pepper under which API keys are signed; losing it voids every key',
  key: 'current',
  rotation:
    'Rotation voids keys signed under the old pepper, so it is a deliberate act: move current to previous.',
};

const SESSION_KEY: SecretSpec = {
  description: 'Key that signs sessions: {"current", "previous"?}',
  key: 'current',
  rotation:
    'Rotation is a deliberate act: move current to previous, which is good until its sessions have ended.',
};

const WEBHOOK_KEY: SecretSpec = {
  description: 'Key that seals webhook secrets and event data; losing it voids every webhook',
  key: 'current',
  rotation: 'Rotation voids what the old key sealed, so it is a deliberate act: move current to previous.',
};

const IDENTITY_SECRET: SecretSpec = {
  description: 'Client secrets of identity providers that need one, by the name of the provider',
  key: 'unused',
  rotation: 'The identity providers issue these values, and only they can rotate them.',
};

const PAYMENT_SECRET: SecretSpec = {
  description:
    'The payment provider\'s own: {"api_key", "webhook_secret", "connect_webhook_secret"}; put in by the operator',
  fields: { api_key: 'none' },
  key: 'webhook_secret',
  rotation: 'The payment provider issues these values, and only it can rotate them.',
};

export interface DataStackProps extends StackProps {
  readonly config: Config;
}

export class DataStack extends Stack implements StoredData {
  readonly tables: StoredData['tables'];
  readonly buildsBucket: StoredData['buildsBucket'];
  readonly secrets: StoredData['secrets'];

  constructor(scope: Construct, id: string, props: DataStackProps) {
    super(scope, id, props);
    const { stage, market, transcribe, backupCopies: copies } = props.config;
    const builds = market ? [new BuildsBucket(this, 'Builds', { config: props.config })] : [];
    this.buildsBucket = builds[0]?.bucketName;
    const recordings = transcribe ? [new RecordingsBucket(this, 'Recordings', props.config)] : [];
    this.secrets = {
      [VARIABLES.keyPepperSecret]: this.#secret('KeyPepper', KEY_PEPPER),
      [VARIABLES.sessionKeySecret]: this.#secret('SessionKey', SESSION_KEY),
      [VARIABLES.webhookKeySecret]: this.#secret('WebhookKey', WEBHOOK_KEY),
      [VARIABLES.identitySecret]: this.#secret('IdentitySecret', IDENTITY_SECRET),
      [VARIABLES.paymentSecret]: this.#secret('PaymentSecret', PAYMENT_SECRET),
    };
    const specs = Object.entries<TableSpec>(TABLES).filter(
      ([, { setting }]) => setting === undefined || market,
    );
    const tables = new Map(
      specs.map(([name, spec]) => {
        const table = this.#table(name, spec, props.config);
        table.node.addDependency(...builds, ...recordings, ...Object.values(this.secrets));
        const restored = this.#restored(name as TableName, props.config);
        if (restored !== undefined) this.#output(replacedVariable(spec.variable), table.tableName);
        return [name, (restored ?? table) as ITable];
      }),
    );
    this.tables = Object.fromEntries(tables);
    if (copies !== undefined)
      new TableBackup(this, 'Backup', { stage, tables: [...tables.values()], copies });
    for (const [name, table] of tables) this.#output(TABLES[name as TableName].variable, table.tableName);
    for (const { bucketName } of builds) {
      this.#output(VARIABLES.marketFeeBasisPoints, String(props.config.marketFeeBasisPoints));
      this.#output(VARIABLES.buildsBucket, bucketName);
      // Other stacks import it while they are deployed with this one, for any settings.
      this.exportValue(bucketName);
    }
    for (const variable of SECRET_VARIABLES) this.#output(variable, this.secrets[variable].secretArn);
    this.#output(RELEASE_OUTPUT, RELEASE);
  }

  /** The outputs by which the operator's command locates the deployment's resources. */
  #output(variable: string, value: string): void {
    new CfnOutput(this, `Output-${variable}`, { value }).overrideLogicalId(outputName(variable));
  }

  #secret(id: string, { description, fields = {}, key, rotation }: SecretSpec): Secret {
    const secret = new Secret(this, id, {
      description,
      generateSecretString: {
        secretStringTemplate: JSON.stringify(fields),
        generateStringKey: key,
        passwordLength: 64,
        excludePunctuation: true,
      },
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    Validations.of(secret).acknowledge({ id: 'AwsSolutions-SMG4', reason: rotation });
    return secret;
  }

  /** The table that the settings put in the place of this one. */
  #restored(name: TableName, { restoredTables }: Config): ITable | undefined {
    const restored = restoredTables[name];
    if (restored === undefined) return undefined;
    return TableV2.fromTableAttributes(this, `Restored-${name}`, {
      tableName: restored.name,
      ...(restored.streamArn === undefined ? {} : { tableStreamArn: restored.streamArn }),
    });
  }

  /** A global table with one replica: further regions are then a setting, and no import of tables with data. */
  #table(name: string, spec: TableSpec, { recoveryDays }: Config): TableV2 {
    // The id under which a table was one of a single region: CloudFormation changes the type of no resource.
    const singleRegionId = name[0]?.toUpperCase() + name.slice(1);
    const table = new TableV2(this, `${singleRegionId}Table`, {
      partitionKey: text(spec.partitionKey),
      ...(spec.sortKey === undefined ? {} : { sortKey: text(spec.sortKey) }),
      ...(spec.ttl === undefined ? {} : { timeToLiveAttribute: spec.ttl }),
      ...(spec.stream === undefined ? {} : { dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES }),
      globalSecondaryIndexes: (spec.indexes ?? []).map((index) => ({
        indexName: index.name,
        partitionKey: text(index.partitionKey),
        sortKey: text(index.sortKey),
        projectionType: ProjectionType.KEYS_ONLY,
      })),
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: recoveryDays,
      },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    // The other stacks import these while they are deployed with them, for any settings.
    for (const value of [
      table.tableName,
      table.tableArn,
      // The construct names a stream also where there is none, and a deployment would fail at that name.
      ...(spec.stream === undefined || table.tableStreamArn === undefined ? [] : [table.tableStreamArn]),
    ])
      this.exportValue(value);
    return table;
  }
}
