/** Turns grants into the statements of a role and into the variables with the names of the accessible resources. */
import { ArnFormat, Stack, Validations } from 'aws-cdk-lib';
import { Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import {
  DEFAULT_DELIVERY_CLAIM_SECONDS,
  PAYMENT_API_URL,
  smokeSecretName,
  VARIABLES,
} from '../../lambdas/platform/contract/environment.ts';
import type { Grants } from '../../lambdas/platform/contract/grants.ts';
import { QUEUES, type QueueName } from '../../lambdas/platform/contract/queues.ts';
import { TABLES, type Table, type TableName } from '../../lambdas/platform/contract/tables.ts';
import type { Config } from '../config/config.ts';
import { buildsOrigin } from '../config/names.ts';
import { busName } from '../config/stage-names.ts';
import { allowBuilds } from './build-access.ts';
import { allowMails } from './mail-access.ts';
import type { Messaging } from './messaging.ts';
import { allowBedrockModels, allowGuardrails, allowSignedModels, allowSpeech } from './model-access.ts';
import { allowRecordingSweep, allowRecordings } from './recordings-bucket.ts';
import { reportedPartition, reportedRegion } from './reported-names.ts';
import type { StoredData } from './stored-data.ts';

export interface RoleGrantsOptions {
  /** The name of the principal that assumes the role, for errors. */
  readonly name: string;
  readonly grants: Grants;
  /** Queues that Lambda reads in its name. */
  readonly reads: readonly QueueName[];
  readonly config: Config;
  readonly data: StoredData;
  /** Needed by who settles by a workflow. */
  readonly settlements?: StateMachine | undefined;
  /** Needed by who sends or plans. */
  readonly messaging?: Messaging | undefined;
}

/** Allows the role what the grants list and nothing more; returns the variables. Throws when a needed part is missing. */
export function grantTo(role: Role, options: RoleGrantsOptions): Record<string, string> {
  return new RoleGrants(role, options).apply();
}

class RoleGrants {
  readonly #role: Role;
  readonly #options: RoleGrantsOptions;

  constructor(role: Role, options: RoleGrantsOptions) {
    this.#role = role;
    this.#options = options;
  }

  apply(): Record<string, string> {
    const { grants, config, data } = this.#options;
    const environment = { ...this.#grantTables(), ...this.#grantSecrets() };
    if (grants.identityProviders)
      environment[VARIABLES.identityProviders] = JSON.stringify(config.identityProviders);
    if (grants.serviceName) environment[VARIABLES.serviceName] = config.serviceName;
    if (this.#usesPayments()) environment[VARIABLES.paymentApiUrl] = PAYMENT_API_URL;
    if (grants.checkouts) {
      if (config.paymentReturnUrl === undefined)
        throw new Error(`${this.#options.name} has no console to return to`);
      environment[VARIABLES.paymentReturnUrl] = config.paymentReturnUrl;
    }
    if (grants.payouts || grants.payoutProvider) environment[VARIABLES.marketPayouts] = config.marketPayouts;
    if (grants.marketFee) environment[VARIABLES.marketFeeBasisPoints] = String(config.marketFeeBasisPoints);
    if (grants.builds && data.buildsBucket !== undefined)
      Object.assign(environment, allowBuilds(this.#role, grants.builds, config, data.buildsBucket));
    if (grants.buildScan) environment[VARIABLES.buildScan] = config.buildScan;
    if (grants.uploadOrigin && data.buildsBucket !== undefined)
      environment[VARIABLES.uploadOrigin] = buildsOrigin(this.#role, data.buildsBucket);
    if (grants.providerSecrets) this.#grantProviderSecrets();
    if (grants.bedrockModels) allowBedrockModels(this.#role);
    if (grants.signedModels) allowSignedModels(this.#role);
    if (grants.speech) allowSpeech(this.#role);
    if (grants.guardrails) allowGuardrails(this.#role);
    if (grants.recordings && config.transcribe)
      Object.assign(environment, allowRecordings(this.#role, config));
    if (grants.recordingSweep) Object.assign(environment, allowRecordingSweep(this.#role, config));
    if (grants.smokeAccess) this.#grantSmokeAccess(environment);
    if (grants.settlements) this.#grantSettlements(environment);
    if (grants.mails) Object.assign(environment, allowMails(this.#role, config, data));
    if (grants.holds) environment[VARIABLES.holdTtlSeconds] = String(config.holdTtlSeconds);
    return { ...environment, ...this.#grantMessaging(grants) };
  }

  /** Returns whether the role talks to the payment provider: for payouts only where the settings turn them on. */
  #usesPayments(): boolean {
    const { grants, config } = this.#options;
    return grants.payments === true || (grants.payoutProvider === true && config.marketPayouts === 'stripe');
  }

  #grantTables(): Record<string, string> {
    const { grants, data } = this.#options;
    const environment: Record<string, string> = {};
    for (const [name, actions] of Object.entries(grants.tables ?? {})) {
      const table = data.tables[name as TableName];
      if (table === undefined) continue;
      if (actions.length > 0)
        this.#allow(
          actions.map((action) => `dynamodb:${action}`),
          table.tableArn,
        );
      this.#denyOperatorsAttribute(TABLES[name as TableName], table.tableArn);
      environment[TABLES[name as TableName].variable] = table.tableName;
    }
    for (const index of grants.indexes ?? []) {
      const table = data.tables[index.table];
      if (table !== undefined) this.#allow(['dynamodb:Query'], `${table.tableArn}/index/${index.name}`);
    }
    return environment;
  }

  /** Denies the writes by which a function could give an account the rights of an operator. */
  #denyOperatorsAttribute({ operatorsAttribute }: Table, tableArn: string): void {
    if (operatorsAttribute === undefined) return;
    this.#role.addToPolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        actions: ['PutItem', 'UpdateItem', 'BatchWriteItem'].map((action) => `dynamodb:${action}`),
        resources: [tableArn],
        conditions: { 'ForAnyValue:StringEquals': { 'dynamodb:Attributes': [operatorsAttribute] } },
      }),
    );
  }

  #grantSecrets(): Record<string, string> {
    const { grants, data } = this.#options;
    const environment: Record<string, string> = {};
    const granted = [
      ...(grants.keyPepper ? [VARIABLES.keyPepperSecret] : []),
      ...(grants.sessionKey ? [VARIABLES.sessionKeySecret] : []),
      ...(grants.webhookKey ? [VARIABLES.webhookKeySecret] : []),
      ...(grants.identitySecret ? [VARIABLES.identitySecret] : []),
      ...(this.#usesPayments() ? [VARIABLES.paymentSecret] : []),
    ];
    for (const variable of granted) {
      const { secretArn } = data.secrets[variable];
      this.#allow(['secretsmanager:GetSecretValue'], secretArn);
      environment[variable] = secretArn;
    }
    return environment;
  }

  #grantMessaging({
    sends = [],
    counts = [],
    schedules,
    publishes,
    follows,
  }: Grants): Record<string, string> {
    const { name, messaging, reads } = this.#options;
    const environment = publishes ? this.#grantBus() : {};
    if ([...sends, ...counts, ...reads].length === 0 && !schedules && !follows) return environment;
    if (messaging === undefined) throw new Error(`${name} needs queues, and its stack has none`);
    const grant = (action: string) => (name: QueueName) => {
      const queue = messaging.queues[name];
      if (queue === undefined) return;
      this.#allow([action], queue.queueArn);
      environment[QUEUES[name].variable] = queue.queueUrl;
    };
    sends.forEach(grant('sqs:SendMessage'));
    counts.forEach(grant('sqs:GetQueueAttributes'));
    for (const queue of reads)
      this.#allow(
        ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
        messaging.queue(queue).queueArn,
      );
    if (follows !== undefined) {
      this.#grantStream(follows.table);
      if (follows.dead !== undefined)
        this.#allow(['sqs:SendMessage'], messaging.queue(follows.dead).queueArn);
    }
    return schedules ? { ...environment, ...this.#grantSchedules(messaging) } : environment;
  }

  /** Grants events to the bus, by its name where another stack has it. */
  #grantBus(): Record<string, string> {
    const { messaging, config } = this.#options;
    const resourceName = busName(config.stage);
    const arn = Stack.of(this.#role).formatArn({ service: 'events', resource: 'event-bus', resourceName });
    this.#allow(['events:PutEvents'], messaging?.bus.eventBusArn ?? arn);
    return { [VARIABLES.eventBus]: messaging?.bus.eventBusName ?? resourceName };
  }

  /** Grants what Lambda itself needs to read a stream on behalf of a function. */
  #grantStream(name: TableName): void {
    const tableStreamArn = this.#options.data.tables[name]?.tableStreamArn;
    if (tableStreamArn === undefined) throw new Error(`the table ${name} has no stream`);
    this.#allow(
      ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      tableStreamArn,
    );
    this.#allow(['dynamodb:ListStreams'], '*');
    Validations.of(this.#role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'The action takes no resource (service authorization reference, DynamoDB, ListStreams).',
    });
  }

  /**
   * Grants schedules. They get their name at run time, in a dedicated group; they use a role that sends to one queue.
   */
  #grantSchedules({ scheduleGroup, scheduleRole }: Messaging): Record<string, string> {
    const resource = Stack.of(this.#role).formatArn({
      service: 'scheduler',
      resource: 'schedule',
      resourceName: `${scheduleGroup}/*`,
    });
    this.#allow(['scheduler:CreateSchedule'], resource);
    this.#role.addToPolicy(
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [scheduleRole.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
      }),
    );
    const account = `arn:${reportedPartition(this.#role)}:scheduler:${reportedRegion(this.#role)}:<AWS::AccountId>`;
    Validations.of(this.#role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${account}:schedule/${scheduleGroup}/*]`,
      reason: 'Each schedule is named after the attempt that it triggers; the group confines them.',
    });
    return {
      [VARIABLES.scheduleGroup]: scheduleGroup,
      [VARIABLES.scheduleRole]: scheduleRole.roleArn,
      [VARIABLES.deliveryClaimSeconds]: String(DEFAULT_DELIVERY_CLAIM_SECONDS),
    };
  }

  #grantSettlements(environment: Record<string, string>): void {
    const { name, settlements } = this.#options;
    if (settlements === undefined) throw new Error(`${name} needs the workflow that settles transcriptions`);
    this.#allow(['states:StartSyncExecution'], settlements.stateMachineArn);
    environment[VARIABLES.settlementWorkflow] = settlements.stateMachineArn;
  }

  #grantSmokeAccess(environment: Record<string, string>): void {
    const { stage, smoke } = this.#options.config;
    const name = smokeSecretName(stage);
    // A secret that does not exist yet is requested without the characters that Secrets Manager adds.
    for (const resourceName of [name, `${name}-??????`]) this.#allowSecret(resourceName);
    environment[VARIABLES.smokeSecret] = name;
    if (smoke?.models !== undefined) environment[VARIABLES.smokeModels] = smoke.models.join(',');
  }

  #allowSecret(resourceName: string): void {
    const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
    const resource = Stack.of(this.#role).formatArn({
      service: 'secretsmanager',
      resource: 'secret',
      resourceName,
      arnFormat,
    });
    this.#allow(['secretsmanager:GetSecretValue'], resource);
  }

  #grantProviderSecrets(): void {
    const { stage, providerSecrets } = this.#options.config;
    // Secrets Manager ends each ARN in a dash and six random characters.
    for (const name of providerSecrets?.map((secret) => `${secret}-??????`) ?? ['*']) {
      this.#allowSecret(`${stage}/providers/${name}`);
    }
    if (providerSecrets !== undefined) return;
    const account = `arn:${reportedPartition(this.#role)}:secretsmanager:${reportedRegion(this.#role)}:<AWS::AccountId>`;
    Validations.of(this.#role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${account}:secret:${stage}/providers/*]`,
      reason: 'The catalog names provider secrets at run time; the prefix confines them to this deployment.',
    });
  }

  #allow(actions: string[], resource: string): void {
    this.#role.addToPolicy(new PolicyStatement({ actions, resources: [resource] }));
  }
}
