/**
 * The permissions boundary of every role of a stage: what the roles of the templates need, on names of the stage, and nothing
 * that creates or changes rights. It limits a role that a deployer adds as well. `up` writes it before it deploys, so an
 * action leaves it a version later than the last role that uses it.
 */
import { busName, rolePath } from '../../lib/config/stage-names.ts';
import { bucketPrefix } from './execution.ts';
import { allow, ITEM_ACTIONS, Names, type PolicyScope, type PolicyStatementText } from './scope.ts';

const of = (service: string, names: readonly string[]): readonly string[] =>
  names.map((name) => `${service}:${name}`);

/** AWS's own policy of the role that copies tables (AWS managed policy reference, AWSBackupServiceRolePolicyForBackup). */
const TABLE_BACKUPS = [
  'CreateBackup',
  'DeleteBackup',
  'DescribeBackup',
  'DescribeTable',
  'ListTagsOfResource',
  'StartAwsBackupJob',
];

/** Actions that take no resource, or one that the stage does not name. */
const UNSCOPED = [
  ...of('logs', [
    // API Gateway writes the logs of all APIs of a region in one role (AmazonAPIGatewayPushToCloudWatchLogs).
    'CreateLogGroup',
    'CreateLogStream',
    'DescribeLogGroups',
    'DescribeLogStreams',
    'FilterLogEvents',
    'GetLogEvents',
    'PutLogEvents',
    '*LogDelivery',
    'ListLogDeliveries',
    'PutResourcePolicy',
    'DescribeResourcePolicies',
  ]),
  ...of('bedrock', ['InvokeModel', 'InvokeModelWithResponseStream']),
  'bedrock-mantle:CreateInference',
  'aws-external-anthropic:CreateInference',
  'dynamodb:ListStreams',
  'ecr:GetAuthorizationToken',
  'guardduty:SendObjectMalwareScan',
  'tag:GetResources',
  ...of('xray', ['GetSamplingRules', 'GetSamplingTargets', 'PutTelemetryRecords', 'PutTraceSegments']),
  ...of('backup', ['CopyFromBackupVault', 'CopyIntoBackupVault', 'DescribeBackupVault']),
  ...of('kms', ['Decrypt', 'DescribeKey', 'GenerateDataKey']),
];

/** The resources of the stage. */
function onStage(names: Names, stage: string): readonly PolicyStatementText[] {
  return [
    allow(
      'Tables',
      [
        ...ITEM_ACTIONS,
        ...of('dynamodb', ['DescribeStream', 'GetRecords', 'GetShardIterator', ...TABLE_BACKUPS]),
      ],
      names.tables,
    ),
    allow(
      'Queues',
      of('sqs', ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage', 'SendMessage']),
      names.queues,
    ),
    allow('Functions', ['lambda:InvokeFunction'], names.functions),
    allow('Workflows', of('states', ['StartExecution', 'StartSyncExecution']), [
      names.arn('states', `stateMachine:${stage}-*`),
    ]),
    allow('Events', ['events:PutEvents'], [names.arn('events', `event-bus/${busName(stage)}`)]),
    allow('Schedules', ['scheduler:CreateSchedule'], [names.arn('scheduler', `schedule/${stage}-*/*`)]),
    allow('ScheduleRole', ['iam:PassRole'], [names.role(`${rolePath(stage).slice(1)}*`)], {
      StringEquals: { 'iam:PassedToService': ['scheduler.amazonaws.com'] },
    }),
    allow('Secrets', ['secretsmanager:GetSecretValue'], [...names.secrets, names.secret('*')]),
    allow(
      'Buckets',
      of('s3', ['PutObject*', 'GetObject*', 'DeleteObject*', 'Abort*', 'ListBucket', '*BucketNotification']),
      [names.arn('s3', bucketPrefix(stage), 'public')],
    ),
  ];
}

/** Resources that stages share. */
function onShared(names: Names): readonly PolicyStatementText[] {
  return [
    allow('Everything', UNSCOPED, ['*']),
    allow(
      'ScannerRule',
      of('events', [
        'DeleteRule',
        'DescribeRule',
        'ListTargetsByRule',
        'PutRule',
        'PutTargets',
        'RemoveTargets',
      ]),
      [names.arn('events', 'rule/DO-NOT-DELETE-AmazonGuardDutyMalwareProtectionS3*')],
    ),
    allow('Code', of('s3', ['GetObject', 'GetObjectVersion']), [
      names.arn('s3', 'cdk-hnb659fds-assets-*', 'public'),
    ]),
    allow('Image', of('ecr', ['BatchCheckLayerAvailability', 'BatchGetImage', 'GetDownloadUrlForLayer']), [
      names.arn('ecr', 'repository/cdk-hnb659fds-container-assets-*'),
    ]),
    // By these the CDK passes the outputs of a stack to one in another region.
    allow(
      'Exports',
      of('ssm', [
        '*TagsToResource',
        '*TagsFromResource',
        'DeleteParameters',
        'GetParameters',
        'ListTagsForResource',
        'PutParameter',
      ]),
      [names.arn('ssm', 'parameter/cdk/exports/*')],
    ),
    allow('BackupKey', ['kms:CreateGrant'], ['*'], { Bool: { 'kms:GrantIsForAWSResource': ['true'] } }),
  ];
}

export function boundaryStatements(scope: PolicyScope): readonly PolicyStatementText[] {
  // One stage may be in many regions.
  const names = new Names({ ...scope, region: '*' });
  return [...onStage(names, scope.stage), ...onShared(names)];
}
