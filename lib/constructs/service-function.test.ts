import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../lambdas/app/routes.ts';
import { CONSUMERS, type Consumer, type ConsumerName } from '../../lambdas/platform/contract/consumers.ts';
import type { BuildAction } from '../../lambdas/platform/contract/grants.ts';
import { QUEUES, type Queue, type QueueName } from '../../lambdas/platform/contract/queues.ts';
import { CONSUMER_NAMES, FUNCTIONS } from '../../test/template/functions.ts';
import { permissionsOf, resourceName } from '../../test/template/permissions.ts';
import {
  type Resource,
  SERVICE_STACKS,
  type StackName,
  SynthesizedApp,
} from '../../test/template/synthesized-app.ts';
import { compilePolicy } from '../../tools/local/aws/iam/policy.ts';
import { type FunctionName, GRANTS } from '../config/grants.ts';

const app = new SynthesizedApp();

interface DeployedFunction {
  readonly id: string;
  readonly stack: StackName;
  readonly name: FunctionName;
  readonly properties: Resource['Properties'];
  readonly roleId: string;
  readonly logGroupId: string;
}

const functions: readonly DeployedFunction[] = SERVICE_STACKS.flatMap((stack) =>
  app.resources(stack, 'AWS::Lambda::Function').map(([id, { Properties: properties }]) => ({
    id,
    stack,
    name: app.functionName(stack, id),
    properties,
    roleId: app.reference(stack, properties.Role)?.id ?? '',
    logGroupId: app.reference(stack, Object(properties.LoggingConfig).LogGroup)?.id ?? '',
  })),
);
const named = functions.map((deployed) => [`${deployed.stack} ${deployed.name}`, deployed] as const);

const capitalized = (name: string): string => `${name[0]?.toUpperCase()}${name.slice(1)}`;
const READING = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'] as const;
/** The bus of another stack, by its name. */
const BUS = 'arn:<AWS::Partition>:events:<AWS::Region>:<AWS::AccountId>:event-bus/platform-events';

const SCHEDULES = 'arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/prod-deliveries/*';

/** The queues that a function reads. */
const readBy = (name: FunctionName): QueueName[] =>
  (Object.entries(QUEUES) as [QueueName, Queue][]).flatMap(([queue, { reader }]) =>
    reader?.consumer === name ? queue : [],
  );

/** Those that hold the search index, or whole catalogs. */
const MEMORY_MB: Partial<Record<FunctionName, number>> = {
  'search-listings': 1536,
  'build-search-index': 2048,
  'watch-prices': 1024,
  'record-scans': 1024,
  'get-operator-catalog': 2048,
  'list-operator-routes': 2048,
};

const OBJECTS = 'arn:<AWS::Partition>:s3:::data:Builds.Ref';

const BUILDS: Readonly<Record<BuildAction, string>> = {
  PutUpload: `s3:PutObject ${OBJECTS}/uploads/*`,
  GetUpload: `s3:GetObject ${OBJECTS}/uploads/*`,
  PutArtifact: `s3:PutObject ${OBJECTS}/artifacts/*`,
  GetArtifact: `s3:GetObject ${OBJECTS}/artifacts/*`,
  DeleteArtifact: `s3:DeleteObject ${OBJECTS}/artifacts/*`,
  RequestScan: 'guardduty:SendObjectMalwareScan *',
};

const FOLLOWING = ['DescribeStream', 'GetRecords', 'GetShardIterator'] as const;

const sharing = (deployed: DeployedFunction, field: 'roleId' | 'logGroupId') =>
  functions.filter((other) => other.stack === deployed.stack && other[field] === deployed[field]);

/** Seconds: API Gateway's 15 minutes for a stream, less than its 29 s for the rest, the contract's for consumers. */
function timeoutOf(name: FunctionName): number {
  const consumer = CONSUMER_NAMES.find((candidate) => candidate === name);
  if (consumer !== undefined) return CONSUMERS[consumer].timeoutSeconds;
  return ROUTES.some((route) => route.endpoint === name && route.response === 'streamed') ? 900 : 28;
}

describe('the functions', () => {
  it('match the routes: one for each route in its stack, one for unknown routes in each, and the consumers', () => {
    const expected = [
      ...new Set(ROUTES.map(({ api, endpoint }) => `${api} ${endpoint}`)),
      ...SERVICE_STACKS.map((stack) => `${stack} unknown-route`),
      ...CONSUMER_NAMES.map((name) => `${CONSUMERS[name].api} ${name}`),
    ];
    expect(named.map(([name]) => name).sort()).toEqual(expected.sort());
  });

  it.each(named)('run Node 24 on arm64, most with 512 MB: %s', (_name, { name, properties }) => {
    expect(properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      MemorySize: MEMORY_MB[name] ?? 512,
      Handler: 'index.handler',
      Description: `unified-inference-service: ${name}`,
    });
  });

  it.each(named)('time out with whoever waits for them: %s', (_name, { name, properties }) => {
    expect(properties.Timeout).toBe(timeoutOf(name));
  });

  it.each(named)('store their logs in a separate group, for 30 days: %s', (_name, deployed) => {
    expect(sharing(deployed, 'logGroupId')).toHaveLength(1);
    expect(app.templates[deployed.stack].Resources[deployed.logGroupId]).toMatchObject({
      Type: 'AWS::Logs::LogGroup',
      Properties: { RetentionInDays: 30 },
    });
  });
});

describe('a scheduled function', () => {
  const scheduled = functions.flatMap(({ id, stack, name }) => {
    const { schedule }: Partial<Consumer> = CONSUMERS[name as ConsumerName] ?? {};
    return schedule === undefined ? [] : [[name, schedule, stack, id] as const];
  });

  it.each(scheduled)('runs by a rule of its own, on the schedule of the contract: %s %s', (...row) => {
    const [, schedule, stack, id] = row;
    const rules = app
      .properties(stack, 'AWS::Events::Rule')
      .filter(({ Targets: targets }) => JSON.stringify(targets)?.includes(`"${id}"`));
    expect(rules).toMatchObject([{ State: 'ENABLED', ScheduleExpression: schedule, Targets: [{}] }]);
  });
});

const INVOCATIONS = ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'];
const MODELS = [
  'arn:<AWS::Partition>:bedrock:*::foundation-model/*',
  'arn:<AWS::Partition>:bedrock:*:<AWS::AccountId>:inference-profile/*',
];

const GUARDRAILS = ['guardrail', 'guardrail-profile'].map(
  (resource) => `bedrock:ApplyGuardrail arn:<AWS::Partition>:bedrock:*:<AWS::AccountId>:${resource}/*`,
);
const INFERENCES = [
  'bedrock-mantle:CreateInference arn:<AWS::Partition>:bedrock-mantle:*:<AWS::AccountId>:project/*',
  'aws-external-anthropic:CreateInference arn:<AWS::Partition>:aws-external-anthropic:*:<AWS::AccountId>:workspace/*',
];

const RECORDINGS = 'inference-prod-rec-<AWS::AccountId>-<AWS::Region>';
const BUCKET = `arn:<AWS::Partition>:s3:::${RECORDINGS}`;
const JOBS = `arn:<AWS::Partition>:transcribe:<AWS::Region>:<AWS::AccountId>:transcription-job/${RECORDINGS}.*`;

describe('the role of a function', () => {
  it.each(named)('belongs to that function alone, and only Lambda can assume it: %s', (_name, deployed) => {
    expect(sharing(deployed, 'roleId')).toHaveLength(1);
    const role = app.templates[deployed.stack].Resources[deployed.roleId]?.Properties;
    expect(role).not.toHaveProperty('ManagedPolicyArns');
    expect(role?.AssumeRolePolicyDocument).toEqual({
      Version: '2012-10-17',
      Statement: [
        { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
      ],
    });
  });

  it.each(named)(
    'allows what the grants list, and nothing else: %s',
    (_name, { stack, name, roleId, logGroupId }) => {
      const {
        tables = {},
        indexes = [],
        sends = [],
        counts = [],
        schedules,
        publishes,
        follows,
        builds = [],
      } = GRANTS[name];
      const { keyPepper, sessionKey, webhookKey, identitySecret, payments } = GRANTS[name];
      const { providerSecrets, bedrockModels, signedModels, guardrails, speech, settlements } = GRANTS[name];
      const { recordings, recordingSweep } = GRANTS[name];
      const logs = resourceName(app, stack, { 'Fn::GetAtt': [logGroupId, 'Arn'] });
      const secrets =
        'arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:prod/providers/*';
      const expected = [
        `logs:CreateLogStream ${logs}`,
        `logs:PutLogEvents ${logs}`,
        ...Object.entries(tables).flatMap(([table, actions]) =>
          actions.map((action) => `dynamodb:${action} data:${capitalized(table)}.Arn`),
        ),
        ...indexes.map((index) => `dynamodb:Query data:${capitalized(index.table)}.Arn/index/${index.name}`),
        ...(keyPepper ? ['secretsmanager:GetSecretValue data:KeyPepper.Ref'] : []),
        ...(sessionKey ? ['secretsmanager:GetSecretValue data:SessionKey.Ref'] : []),
        ...(identitySecret ? ['secretsmanager:GetSecretValue data:IdentitySecret.Ref'] : []),
        ...(payments ? ['secretsmanager:GetSecretValue data:PaymentSecret.Ref'] : []),
        ...(webhookKey ? ['secretsmanager:GetSecretValue data:WebhookKey.Ref'] : []),
        ...sends.map((queue) => `sqs:SendMessage platform:Messaging${capitalized(queue)}.Arn`),
        ...counts.map((queue) => `sqs:GetQueueAttributes platform:Messaging${capitalized(queue)}.Arn`),
        ...readBy(name).flatMap((queue) =>
          READING.map((action) => `${action} platform:Messaging${capitalized(queue)}.Arn`),
        ),
        ...(publishes
          ? [`events:PutEvents ${stack === 'platform' ? 'platform:MessagingBus.Arn' : BUS}`]
          : []),
        ...(follows === undefined
          ? []
          : [
              ...FOLLOWING.map((action) => `dynamodb:${action} data:${capitalized(follows.table)}.StreamArn`),
              'dynamodb:ListStreams *',
              ...(follows.dead === undefined
                ? []
                : [`sqs:SendMessage platform:Messaging${capitalized(follows.dead)}.Arn`]),
            ]),
        ...(schedules
          ? [`scheduler:CreateSchedule ${SCHEDULES}`, 'iam:PassRole platform:MessagingScheduleRole.Arn']
          : []),
        ...(providerSecrets ? [`secretsmanager:GetSecretValue ${secrets}`] : []),
        ...(settlements ? ['states:StartSyncExecution inference:TranscriptionSettlementWorkflow.Ref'] : []),
        ...(bedrockModels
          ? INVOCATIONS.flatMap((action) => MODELS.map((model) => `${action} ${model}`))
          : []),
        ...(signedModels ? INFERENCES : []),
        ...(speech ? ['polly:SynthesizeSpeech *'] : []),
        ...(guardrails ? GUARDRAILS : []),
        ...builds.map((action) => BUILDS[action]),
        ...(recordings || recordingSweep
          ? [
              `s3:ListBucket ${BUCKET}`,
              `s3:DeleteObject ${BUCKET}/*`,
              `transcribe:DeleteTranscriptionJob ${JOBS}`,
            ]
          : []),
        ...(recordings
          ? [
              `s3:GetObject ${BUCKET}/*`,
              `s3:PutObject ${BUCKET}/*`,
              `transcribe:GetTranscriptionJob ${JOBS}`,
              'transcribe:StartTranscriptionJob *',
            ]
          : []),
        ...(recordingSweep ? ['transcribe:ListTranscriptionJobs *'] : []),
      ];
      expect(permissionsOf(app, stack, roleId)).toEqual(expected.sort());
    },
  );
});

describe('the grants', () => {
  it('contain a row for each function', () => {
    expect(Object.keys(GRANTS).sort()).toEqual([...FUNCTIONS].sort());
  });

  it.each([
    [
      'of another region',
      'arn:<AWS::Partition>:bedrock:us-west-2::foundation-model/stability.sd3-5-large-v1:0',
    ],
    ['of a profile', 'arn:<AWS::Partition>:bedrock:us-east-1:<AWS::AccountId>:inference-profile/us.x'],
    ['of no region, as a global profile has it', 'arn:<AWS::Partition>:bedrock:::foundation-model/x'],
  ])('allow the call of a model by any resource that a route names: %s', (_name, resource) => {
    const allows = compilePolicy([{ Effect: 'Allow', Action: INVOCATIONS, Resource: MODELS }]);
    for (const action of INVOCATIONS) expect(allows(action, resource)).toBe('allowed');
    expect(allows('bedrock:CreateInferenceProfile', resource)).toBe('not allowed');
  });
});
