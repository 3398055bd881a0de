/** One Lambda function with a role of its own that reaches exactly what `grants.ts` lists. */
import { join } from 'node:path';
import { ArnFormat, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { DEFAULT_DELIVERY_LEASE_SECONDS, VARIABLES } from '../../lambdas/contract/environment.ts';
import { SERVICE_NAME } from '../../lambdas/contract/limits.ts';
import { METRIC_NAMESPACE, METRIC_NAMESPACE_VARIABLE } from '../../lambdas/contract/metrics.ts';
import { QUEUES, type Queue, type QueueName } from '../../lambdas/contract/queues.ts';
import { TABLES, type TableName } from '../../lambdas/contract/tables.ts';
import type { Config } from '../config/config.ts';
import type { Grants } from '../config/grant.ts';
import { type FunctionName, GRANTS } from '../config/grants.ts';
import { memoryOf } from '../config/memory.ts';
import type { Messaging } from './messaging.ts';
import { allowBedrockModels, allowSignedModels } from './model-access.ts';
import type { StoredData } from './stored-data.ts';

/** Stripe API reference. */
const STRIPE_API = 'https://api.stripe.com';

export interface ServiceFunctionProps {
  /** The folder in `lambdas/endpoints/` or `lambdas/consumers/`. */
  readonly name: FunctionName;
  readonly timeoutSeconds: number;
  readonly config: Config;
  readonly data: StoredData;
  readonly bundles: string;
  /** Needed by functions that settle by a workflow. */
  readonly settlements?: StateMachine | undefined;
  /** Needed by functions that send, plan or publish. */
  readonly messaging?: Messaging | undefined;
}

/** What a function acts in, knows and writes its logs to. */
export interface FunctionHosting {
  readonly role: Role;
  readonly environment: Readonly<Record<string, string>>;
  readonly logGroup: LogGroup;
}

/** `<stage>-<stack>-<name>`: known without the stack, so that the operations stack need not import it from there. */
const functionName = (stack: Stack, name: string): string =>
  `${stack.stackName.replace(/^Inference-/, '')}-${name}`;

export class ServiceFunction extends Construct {
  readonly function: LambdaFunction;
  /** For another host of the same endpoint. */
  readonly hosting: FunctionHosting;
  readonly #role: Role;
  readonly #props: ServiceFunctionProps;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    this.#props = props;
    const logGroup = new LogGroup(this, 'Logs', {
      retention: props.config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.#role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.#allow(['logs:CreateLogStream', 'logs:PutLogEvents'], logGroup.logGroupArn);
    const environment = {
      POWERTOOLS_SERVICE_NAME: props.name,
      [METRIC_NAMESPACE_VARIABLE]: `${METRIC_NAMESPACE}/${props.config.stage}`,
      ...this.#grant(),
    };
    this.hosting = { role: this.#role, environment, logGroup };
    this.function = new LambdaFunction(this, 'Function', {
      functionName: functionName(Stack.of(this), props.name),
      description: `${SERVICE_NAME}: ${props.name}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memoryOf(props.name),
      timeout: Duration.seconds(props.timeoutSeconds),
      handler: 'index.handler',
      code: Code.fromAsset(join(props.bundles, props.name), { exclude: ['*.map', 'Dockerfile'] }),
      role: this.#role,
      logGroup,
      tracing: props.config.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      environment,
    });
    if (props.config.tracing) {
      Validations.of(this.#role).acknowledge({
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason: 'X-Ray takes no resource: AWS documents its write actions with "*".',
      });
    }
  }

  #grant(): Record<string, string> {
    const { name: functionName, config, data } = this.#props;
    const grants = GRANTS[functionName];
    const environment: Record<string, string> = {};
    for (const [name, actions] of Object.entries(grants.tables ?? {})) {
      const table = data.tables[name as TableName];
      if (actions.length > 0)
        this.#allow(
          actions.map((action) => `dynamodb:${action}`),
          table.tableArn,
        );
      environment[TABLES[name as TableName].variable] = table.tableName;
    }
    for (const index of grants.indexes ?? []) {
      this.#allow(['dynamodb:Query'], `${data.tables[index.table].tableArn}/index/${index.name}`);
    }
    const granted = [
      ...(grants.keyPepper ? [VARIABLES.keyPepperSecret] : []),
      ...(grants.sessionKey ? [VARIABLES.sessionKeySecret] : []),
      ...(grants.webhookKey ? [VARIABLES.webhookKeySecret] : []),
      ...(grants.identityProviders ? [VARIABLES.identitySecret] : []),
      ...(grants.payments ? [VARIABLES.paymentSecret] : []),
    ];
    for (const variable of granted) {
      const { secretArn } = data.secrets[variable];
      this.#allow(['secretsmanager:GetSecretValue'], secretArn);
      environment[variable] = secretArn;
    }
    if (grants.identityProviders)
      environment[VARIABLES.identityProviders] = JSON.stringify(config.identityProviders);
    if (grants.payments) {
      environment[VARIABLES.paymentApiUrl] = STRIPE_API;
      environment[VARIABLES.paymentReturnUrl] = config.paymentReturnUrl;
    }
    if (grants.providerSecrets) this.#grantProviderSecrets();
    if (grants.bedrockModels) allowBedrockModels(this.#role);
    if (grants.signedModels) allowSignedModels(this.#role);
    if (grants.settlements) this.#grantSettlements(environment);
    if (grants.holds) environment[VARIABLES.holdTtlSeconds] = String(config.holdTtlSeconds);
    return { ...environment, ...this.#grantMessaging(grants) };
  }

  #grantMessaging({ sends = [], schedules, publishes, follows }: Grants): Record<string, string> {
    const { name, messaging } = this.#props;
    const reads = (Object.keys(QUEUES) as QueueName[]).filter((queue) => readerOf(queue) === name);
    if ([...sends, ...reads].length === 0 && !schedules && !publishes && !follows) return {};
    if (messaging === undefined) throw new Error(`${name} needs queues, and its stack has none`);
    const environment: Record<string, string> = {};
    for (const queue of sends) {
      this.#allow(['sqs:SendMessage'], messaging.queues[queue].queueArn);
      environment[QUEUES[queue].variable] = messaging.queues[queue].queueUrl;
    }
    for (const queue of reads)
      this.#allow(
        ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
        messaging.queues[queue].queueArn,
      );
    if (publishes) {
      this.#allow(['events:PutEvents'], messaging.bus.eventBusArn);
      environment[VARIABLES.eventBus] = messaging.bus.eventBusName;
    }
    if (follows !== undefined) this.#grantStream(follows.table, messaging.queues[follows.dead].queueArn);
    return schedules ? { ...environment, ...this.#grantSchedules(messaging) } : environment;
  }

  /** What Lambda itself needs to read a stream in the function's name, and to note what the function fails at. */
  #grantStream(name: TableName, deadLettersArn: string): void {
    const { tableStreamArn } = this.#props.data.tables[name];
    if (tableStreamArn === undefined) throw new Error(`the table ${name} has no stream`);
    this.#allow(
      ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      tableStreamArn,
    );
    this.#allow(['dynamodb:ListStreams'], '*');
    this.#allow(['sqs:SendMessage'], deadLettersArn);
    Validations.of(this.#role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'The action takes no resource (service authorization reference, DynamoDB, ListStreams).',
    });
  }

  /** Schedules are named at run time, in a group of their own; they act in a role that sends to one queue. */
  #grantSchedules({ scheduleGroup, scheduleRole }: Messaging): Record<string, string> {
    const resource = Stack.of(this).formatArn({
      service: 'scheduler',
      resource: 'schedule',
      resourceName: `${scheduleGroup}/*`,
    });
    this.#allow(['scheduler:CreateSchedule'], resource);
    this.#allow(['iam:PassRole'], scheduleRole.roleArn);
    const account = 'arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>';
    Validations.of(this.#role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${account}:schedule/${scheduleGroup}/*]`,
      reason: 'Each schedule is named after the attempt that it triggers; the group confines them.',
    });
    return {
      [VARIABLES.scheduleGroup]: scheduleGroup,
      [VARIABLES.scheduleRole]: scheduleRole.roleArn,
      [VARIABLES.deliveryLeaseSeconds]: String(DEFAULT_DELIVERY_LEASE_SECONDS),
    };
  }

  #grantSettlements(environment: Record<string, string>): void {
    const { name, settlements } = this.#props;
    if (settlements === undefined) throw new Error(`${name} needs the workflow that settles transcriptions`);
    this.#allow(['states:StartExecution'], settlements.stateMachineArn);
    environment[VARIABLES.settlementWorkflow] = settlements.stateMachineArn;
  }

  #grantProviderSecrets(): void {
    const { stage, providerSecrets } = this.#props.config;
    // Secrets Manager ends each ARN in a dash and six random characters.
    for (const name of providerSecrets?.map((secret) => `${secret}-??????`) ?? ['*']) {
      const resource = Stack.of(this).formatArn({
        service: 'secretsmanager',
        resource: 'secret',
        resourceName: `${stage}/providers/${name}`,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      });
      this.#allow(['secretsmanager:GetSecretValue'], resource);
    }
    if (providerSecrets !== undefined) return;
    const account = 'arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>';
    Validations.of(this.#role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${account}:secret:${stage}/providers/*]`,
      reason: 'The catalog names provider secrets at run time; the prefix confines them to this deployment.',
    });
  }

  #allow(actions: string[], resource: string): void {
    this.#role.addToPolicy(new PolicyStatement({ actions, resources: [resource] }));
  }
}

const readerOf = (name: QueueName): string | undefined => {
  const queue: Queue = QUEUES[name];
  return queue.reader?.consumer;
};
