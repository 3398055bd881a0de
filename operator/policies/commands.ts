/** The rights of people and pipelines: who bootstraps an account, who runs `up` and `down`, who runs `admin`. */
import {
  alarmTopicName,
  boundaryName,
  busName,
  executionPolicyName,
  recordingsBucketName,
  stackNameOf,
} from '../../lib/config/stage-names.ts';
import {
  allow,
  EDGE_REGION,
  ITEM_ACTIONS,
  Names,
  type PolicyScope,
  type PolicyStatementText,
} from './scope.ts';

/** `up` lists nothing of all accounts. */
const UP_ITEM_ACTIONS = ITEM_ACTIONS.filter((name) => !/:(Scan|ConditionCheckItem)$/.test(name));

/** The reads of `quotas`, which `up` starts with, and of the models that Bedrock offers. They read the account, so IAM knows no smaller resource for most. */
const READ_ACCOUNT = allow(
  'ReadAccount',
  [
    'bedrock:GetFoundationModelAvailability',
    'bedrock:ListFoundationModels',
    'bedrock:ListInferenceProfiles',
    'cloudformation:DescribeStacks',
    'ec2:DescribeAvailabilityZones',
    'ec2:DescribeVpcs',
    'iam:GetAccountSummary',
    'lambda:GetAccountSettings',
    'polly:DescribeVoices',
    'servicequotas:GetAWSDefaultServiceQuota',
    'servicequotas:GetServiceQuota',
    'transcribe:ListTranscriptionJobs',
  ],
  ['*'],
);

/** Returns the right to read the outputs of the stage's stacks, by which a command finds its resources. */
const findStage = (names: Names) => allow('FindStage', ['cloudformation:DescribeStacks'], names.stacks);

/** The roles of a bootstrap that a deployment assumes: for stacks, for files and for images. */
const DEPLOYING_ROLES = ['deploy', 'file-publishing', 'image-publishing'] as const;

/** The stacks with log groups of calls. */
const LOGGING_STACKS = ['inference', 'platform', 'ingress'] as const;

/** Returns the right to compare the tables in use with what the code needs. */
const checkTables = (names: Names) =>
  allow(
    'CheckTables',
    ['dynamodb:DescribeTable', 'dynamodb:DescribeTimeToLive', 'dynamodb:DescribeContinuousBackups'],
    names.tables.slice(0, 1),
  );

/** The policies that `up` writes before it bootstraps and deploys. */
const stagePolicies = (names: Names, { stage, region }: PolicyScope): readonly string[] =>
  [
    boundaryName(stage),
    ...new Set([region, EDGE_REGION].map((where) => executionPolicyName(stage, where))),
  ].map((name) => names.arn('iam', `policy/${name}`, 'global'));

const smokeSecrets = (names: Names) => [names.secret('smoke-*'), names.secret('smoke')];

/** `admin`, except `restore`, which is no daily command. */
export function adminStatements(scope: PolicyScope): readonly PolicyStatementText[] {
  const names = new Names(scope);
  const { stage } = scope;
  return [
    findStage(names),
    allow('Items', ITEM_ACTIONS, names.tables),
    checkTables(names),
    allow(
      'ReadSecrets',
      ['secretsmanager:GetSecretValue'],
      [...names.secrets.slice(0, 3), names.secret('providers/*'), ...smokeSecrets(names)],
    ),
    allow('SmokeKey', ['secretsmanager:CreateSecret', 'secretsmanager:PutSecretValue'], smokeSecrets(names)),
    allow('Events', ['events:PutEvents'], [names.arn('events', `event-bus/${busName(stage)}`)]),
    allow(
      'Redrive',
      ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage', 'sqs:SendMessage'],
      names.queues,
    ),
    allow('CatalogCheck', ['bedrock:GetFoundationModel'], ['*']),
    allow(
      'CallLog',
      ['logs:StartQuery'],
      LOGGING_STACKS.map((part) => names.arn('logs', `log-group:${stackNameOf(stage, part)}-*`)),
    ),
    // IAM knows no smaller resource for these (Service Authorization Reference, CloudWatch Logs).
    allow('CallLogQueries', ['logs:DescribeQueryDefinitions', 'logs:GetQueryResults'], ['*']),
    READ_ACCOUNT,
  ];
}

/** `down` empties the bucket of recordings, which CloudFormation deletes. */
function leftRecordings(names: Names, { stage, accountId, region }: PolicyScope): PolicyStatementText[] {
  const bucket = names.arn('s3', recordingsBucketName(stage, accountId, region), 'public');
  return [
    allow('ListRecordings', ['s3:ListBucket'], [bucket]),
    allow('DownRecordings', ['s3:DeleteObject'], [`${bucket}/*`]),
  ];
}

/** `up` and `down` of a stage in an account that has a bootstrap. */
export function upStatements(scope: PolicyScope): readonly PolicyStatementText[] {
  const names = new Names(scope);
  const { stage, accountId, region } = scope;
  return [
    READ_ACCOUNT,
    // The first of them passes the bootstrap's execution role to CloudFormation: who has this policy has its rights.
    // Those of `execution` are no administrator's only as long as this policy cannot write it, or the boundary.
    allow(
      'Deploy',
      ['sts:AssumeRole'],
      [...new Set([region, EDGE_REGION])].flatMap((where) =>
        DEPLOYING_ROLES.map((role) => names.role(`cdk-hnb659fds-${role}-role-${accountId}-${where}`)),
      ),
    ),
    allow('ReadPolicies', ['iam:GetPolicy', 'iam:GetPolicyVersion'], stagePolicies(names, scope)),
    allow('Items', UP_ITEM_ACTIONS, names.tables),
    checkTables(names),
    allow(
      'ReadSecrets',
      ['secretsmanager:GetSecretValue'],
      [...names.secrets.slice(0, 2), ...smokeSecrets(names)],
    ),
    allow(
      'FirstKeys',
      ['secretsmanager:CreateSecret', 'secretsmanager:PutSecretValue'],
      [names.secret('first-key-*'), names.secret('first-key'), ...smokeSecrets(names)],
    ),
    allow('Recipients', ['sns:ListSubscriptionsByTopic'], [names.arn('sns', alarmTopicName(stage))]),
    allow(
      'StartAudit',
      ['states:StartExecution'],
      [names.arn('states', `stateMachine:${stage}-audit-books`)],
    ),
    allow('Down', ['cloudformation:DeleteStack', 'cloudformation:UpdateTerminationProtection'], names.stacks),
    ...leftRecordings(names, scope),
    allow('Templates', ['cloudformation:GetTemplate'], [...names.stacks, names.nestedStack]),
    allow(
      'ListKept',
      ['cloudformation:ListStackResources', 'dynamodb:ListTables', 'secretsmanager:ListSecrets'],
      ['*'],
    ),
  ];
}

const BOOTSTRAP_ACTIONS = {
  cloudformation: [
    'CreateChangeSet',
    'DeleteChangeSet',
    'DescribeChangeSet',
    'DescribeEvents',
    'DescribeStackEvents',
    'DescribeStacks',
    'ExecuteChangeSet',
    'GetTemplate',
    'UpdateTerminationProtection',
  ],
  iam: [
    'AttachRolePolicy',
    'CreateRole',
    'DeleteRole',
    'DeleteRolePolicy',
    'DetachRolePolicy',
    'GetRole',
    'GetRolePolicy',
    'ListAttachedRolePolicies',
    'ListRolePolicies',
    'PutRolePolicy',
    'TagRole',
    'UntagRole',
    'UpdateAssumeRolePolicy',
  ],
  s3: ['CreateBucket', 'DeleteBucket', 'Get*', 'ListBucket', 'Put*'],
  ecr: [
    'CreateRepository',
    'DeleteRepository',
    'DeleteRepositoryPolicy',
    'DescribeRepositories',
    'GetLifecyclePolicy',
    'GetRepositoryPolicy',
    'ListTagsForResource',
    'PutImageScanningConfiguration',
    'PutImageTagMutability',
    'PutLifecyclePolicy',
    'SetRepositoryPolicy',
    'TagResource',
  ],
  ssm: ['AddTagsToResource', 'DeleteParameter', 'GetParameter', 'GetParameters', 'PutParameter'],
} as const;

/** `cdk bootstrap` and the policies of the stage, once for each account and region. Who has it can give any right to the roles that it creates. */
export function bootstrapStatements(scope: PolicyScope): readonly PolicyStatementText[] {
  const names = new Names(scope);
  const suffix = `${scope.accountId}-${scope.region}`;
  const bucket = names.arn('s3', `cdk-hnb659fds-assets-${suffix}`, 'public');
  const resources = {
    cloudformation: [names.stack('CDKToolkit')],
    iam: [names.role(`cdk-hnb659fds-*-${suffix}`)],
    s3: [bucket, `${bucket}/*`],
    ecr: [names.arn('ecr', `repository/cdk-hnb659fds-container-assets-${suffix}`)],
    ssm: [names.arn('ssm', 'parameter/cdk-bootstrap/hnb659fds/*')],
  };
  return [
    ...(Object.keys(resources) as (keyof typeof resources)[]).map((service) =>
      allow(
        `Bootstrap${service}`,
        BOOTSTRAP_ACTIONS[service].map((name) => `${service}:${name}`),
        resources[service],
      ),
    ),
    allow(
      'WritePolicies',
      ['iam:CreatePolicy', 'iam:CreatePolicyVersion', 'iam:DeletePolicyVersion', 'iam:ListPolicyVersions'],
      stagePolicies(names, scope),
    ),
  ];
}
