/**
 * The permissions boundary of every role of a stage: what the roles of the templates need, on names of the stage, and nothing
 * that creates or changes rights. It limits a role that a deployer adds as well. `up` writes it before it deploys, so an
 * action leaves it a version later than the last role that uses it.
 */
import { busName, rolePath } from '../../lib/config/stage-names.ts';
import { bucketPrefix } from './execution.ts';
import { allow, ITEM_ACTIONS, Names, type PolicyScope, type PolicyStatementText } from './scope.ts';

const actionsOf = (service: string, names: readonly string[]): readonly string[] =>
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
  ...actionsOf('logs', [
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
  ...actionsOf('bedrock', ['ApplyGuardrail', 'InvokeModel', 'InvokeModelWithResponseStream']),
  'bedrock-mantle:CreateInference',
  'aws-external-anthropic:CreateInference',
  ...actionsOf('transcribe', [
    'DeleteTranscriptionJob',
    'GetTranscriptionJob',
    'ListTranscriptionJobs',
    'StartTranscriptionJob',
  ]),
  'dynamodb:ListStreams',
  'ecr:GetAuthorizationToken',
  'guardduty:SendObjectMalwareScan',
  'polly:SynthesizeSpeech',
  'ses:SendEmail',
  'tag:GetResources',
  ...actionsOf('xray', ['GetSamplingRules', 'GetSamplingTargets', 'PutTelemetryRecords', 'PutTraceSegments']),
  ...actionsOf('backup', ['CopyFromBackupVault', 'CopyIntoBackupVault', 'DescribeBackupVault']),
  ...actionsOf('kms', ['Decrypt', 'DescribeKey', 'GenerateDataKey']),
];

/** The resources of the stage. */
function onStage(names: Names, stage: string): readonly PolicyStatementText[] {
  return [
    allow(
      'Tables',
      [
        ...ITEM_ACTIONS,
        ...actionsOf('dynamodb', ['DescribeStream', 'GetRecords', 'GetShardIterator', ...TABLE_BACKUPS]),
      ],
      names.tables,
    ),
    allow(
      'Queues',
      actionsOf('sqs', ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage', 'SendMessage']),
      names.queues,
    ),
    allow('Functions', ['lambda:InvokeFunction'], names.functions),
    allow('Workflows', actionsOf('states', ['StartExecution', 'StartSyncExecution']), [
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
      actionsOf('s3', [
        'PutObject*',
        'GetObject*',
        'DeleteObject*',
        'Abort*',
        'ListBucket',
        '*BucketNotification',
      ]),
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
      actionsOf('events', [
        'DeleteRule',
        'DescribeRule',
        'ListTargetsByRule',
        'PutRule',
        'PutTargets',
        'RemoveTargets',
      ]),
      [names.arn('events', 'rule/DO-NOT-DELETE-AmazonGuardDutyMalwareProtectionS3*')],
    ),
    allow('Code', actionsOf('s3', ['GetObject', 'GetObjectVersion']), [
      names.arn('s3', 'cdk-hnb659fds-assets-*', 'public'),
    ]),
    allow(
      'Image',
      actionsOf('ecr', ['BatchCheckLayerAvailability', 'BatchGetImage', 'GetDownloadUrlForLayer']),
      [names.arn('ecr', 'repository/cdk-hnb659fds-container-assets-*')],
    ),
    // By these the CDK passes the outputs of a stack to one in another region.
    allow(
      'Exports',
      actionsOf('ssm', [
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
