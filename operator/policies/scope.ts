/** The names of a stage's resources in IAM, and the shape of a policy document. */
import { QUEUES, type QueueName, queueNameOf } from '../../lambdas/platform/contract/queues.ts';
import { APIS } from '../../lambdas/platform/contract/route.ts';
import { edgeAlarmsStackName, STACKS, stackNameOf } from '../../lib/config/stage-names.ts';

/** The region of CloudFront's certificates and of the stack with its alarms. */
export const EDGE_REGION = 'us-east-1';

/** The account, region and stage that a policy is for. */
export interface PolicyScope {
  readonly partition: string;
  readonly accountId: string;
  readonly region: string;
  readonly stage: string;
}

export interface PolicyStatementText {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

export interface PolicyDocumentText {
  readonly Version: '2012-10-17';
  readonly Statement: readonly PolicyStatementText[];
}

/** Reads and writes of items; the transactions of DynamoDB have no action of their own. */
export const ITEM_ACTIONS = [
  'BatchGetItem',
  'BatchWriteItem',
  'ConditionCheckItem',
  'DeleteItem',
  'GetItem',
  'PutItem',
  'Query',
  'Scan',
  'UpdateItem',
].map((name) => `dynamodb:${name}`);

/** The largest managed policy, without white space (IAM user guide, quotas). */
export const MAX_POLICY_CHARACTERS = 6_144;

/** The tables and the secrets of a stage have names of CloudFormation, which start so. */
const DATA_STACK = (stage: string) => `Inference-${stage}-data-`;
const STAGE_SECRETS = ['KeyPepper', 'SessionKey', 'WebhookKey', 'IdentitySecret', 'PaymentSecret'] as const;

export class Names {
  readonly #scope: PolicyScope;

  constructor(scope: PolicyScope) {
    this.#scope = scope;
  }

  /** Returns the ARN of a resource in the region; with `global`, of one that no region has. */
  arn(service: string, resource: string, where: 'regional' | 'global' | 'public' = 'regional'): string {
    const { partition, accountId, region } = this.#scope;
    if (where === 'global') return `arn:${partition}:${service}::${accountId}:${resource}`;
    if (where === 'public') return `arn:${partition}:${service}:::${resource}`;
    return `arn:${partition}:${service}:${region}:${accountId}:${resource}`;
  }

  /** The stacks of the stage, by their exact names. */
  get stacks(): readonly string[] {
    const { partition, accountId, region, stage } = this.#scope;
    return [
      ...STACKS.map((part) => this.stack(stackNameOf(stage, part))),
      `arn:${partition}:cloudformation:${EDGE_REGION}:${accountId}:stack/${edgeAlarmsStackName(stage, region)}/*`,
    ];
  }

  /** The functions of the stage except those of the CDK: their names have the part of a stack after the stage. */
  get functions(): readonly string[] {
    return APIS.map((api) => this.arn('lambda', `function:${this.#scope.stage}-${api}-*`));
  }

  /** The queues of the stage, by their exact names. */
  get queues(): readonly string[] {
    return (Object.keys(QUEUES) as QueueName[]).map((name) =>
      this.arn('sqs', queueNameOf(this.#scope.stage, name)),
    );
  }

  /** The stack of listings, which is nested in that of the platform. */
  get nestedStack(): string {
    return this.stack(`${stackNameOf(this.#scope.stage, 'platform')}-*`);
  }

  role = (name: string): string => this.arn('iam', `role/${name}`, 'global');
  stack = (name: string): string => this.arn('cloudformation', `stack/${name}/*`);

  get tables(): readonly string[] {
    const table = this.arn('dynamodb', `table/${DATA_STACK(this.#scope.stage)}*`);
    return [table, `${table}/index/*`];
  }

  get secrets(): readonly string[] {
    return STAGE_SECRETS.map((name) => this.arn('secretsmanager', `secret:${name}*`));
  }

  secret = (name: string): string => this.arn('secretsmanager', `secret:${this.#scope.stage}/${name}`);
}

export const allow = (
  Sid: string,
  Action: readonly string[],
  Resource: readonly string[],
  Condition?: PolicyStatementText['Condition'],
): PolicyStatementText => ({
  Sid,
  Effect: 'Allow',
  Action,
  Resource,
  ...(Condition === undefined ? {} : { Condition }),
});
