/**
 * A daily backup of every table, copied to a vault elsewhere. The source vault has a separate key: backups under the
 * AWS managed key cannot be copied to another account (AWS Backup developer guide, Creating backup copies across AWS
 * accounts). Advanced features for DynamoDB must have been enabled once for the account.
 */
import { Aws, Duration, Fn, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { AccountPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { Config } from '../config/config.ts';

/** Two hours after the start of the nightly audit, so that the copied data was verified shortly before. */
const EVERY_NIGHT = Schedule.cron({ minute: '0', hour: '5' });

/** AWS Backup's default is eight hours, within which each table would be of another instant. */
const START_WINDOW = Duration.hours(1);

/**
 * The operations on the key of a vault that a copy to another account needs (AWS knowledge center, "Given key ID is not
 * accessible" in AWS Backup). Grants are for services of AWS alone.
 */
const COPYING = [
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:Decrypt',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyPair',
  'kms:GenerateDataKeyPairWithoutPlaintext',
  'kms:GenerateDataKeyWithoutPlaintext',
];
const GRANTING = ['kms:CreateGrant', 'kms:ListGrants', 'kms:RevokeGrant'];

export interface TableBackupProps {
  readonly stage: string;
  readonly tables: readonly ITable[];
  readonly copies: NonNullable<Config['backupCopies']>;
}

export class TableBackup extends Construct {
  constructor(scope: Construct, id: string, { stage, tables, copies }: TableBackupProps) {
    super(scope, id);
    const { vaultArn, keepDays } = copies;
    const encryptionKey = new Key(this, 'Key', {
      description: 'Seals backups of the tables',
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    allowCopies(encryptionKey, new AccountPrincipal(accountOf(vaultArn)));
    const plan = new BackupPlan(this, 'Plan', {
      backupVault: new BackupVault(this, 'Vault', {
        // A vault must be named. The one of an earlier stack of the same name is retained, and keeps its own.
        backupVaultName: Fn.join('-', [stage, 'tables', ofThisStack()]),
        encryptionKey,
        removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      }),
    });
    const deleteAfter = Duration.days(keepDays);
    const destinationBackupVault = BackupVault.fromBackupVaultArn(this, 'Copies', vaultArn);
    plan.addRule(
      new BackupPlanRule({
        ruleName: 'nightly',
        scheduleExpression: EVERY_NIGHT,
        startWindow: START_WINDOW,
        deleteAfter,
        copyActions: [{ destinationBackupVault, deleteAfter }],
      }),
    );
    const selection = plan.addSelection('Tables', {
      resources: tables.map(({ tableArn }) => BackupResource.fromArn(tableArn)),
      disableDefaultBackupPolicy: false,
    });
    Validations.of(selection).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
      reason: 'The policy that AWS keeps for this service, which names the actions of each type of backup.',
    });
  }
}

function allowCopies(key: Key, account: AccountPrincipal): void {
  const allowed = { principals: [account], resources: ['*'] };
  key.addToResourcePolicy(new PolicyStatement({ ...allowed, actions: COPYING }));
  const conditions = { Bool: { 'kms:GrantIsForAWSResource': 'true' } };
  key.addToResourcePolicy(new PolicyStatement({ ...allowed, actions: GRANTING, conditions }));
}

/** Returns the last part of the stack's id, `arn:...:stack/<name>/<UUID>`, which no other stack has. */
const ofThisStack = (): string => Fn.select(4, Fn.split('-', Fn.select(2, Fn.split('/', Aws.STACK_ID))));

const accountOf = (arn: string): string => arn.split(':')[4] ?? '';
