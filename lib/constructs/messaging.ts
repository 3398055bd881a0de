/** The transport of events and deliveries: the bus, the queues with their dead letters, and the one-time schedules. */
import { Aws, CfnOutput, Duration, Stack, Validations } from 'aws-cdk-lib';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { outputName, VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import {
  QUEUES,
  type QueueName,
  type Queue as QueueSpec,
  queueNameOf,
} from '../../lambdas/platform/contract/queues.ts';
import type { Config } from '../config/config.ts';
import { busName } from '../config/stage-names.ts';
import { allowSealed } from './security/customer-key.ts';
import { serviceFor } from './security/trust.ts';

/** SQS retains a message for at most 14 days; a dead letter waits for a person. */
const RETENTION = Duration.days(14);

export class Messaging extends Construct {
  readonly bus: EventBus;
  /** Without `deadChanges` if the settings leave the market out. */
  readonly queues: Readonly<Partial<Record<QueueName, Queue>>>;
  /** Name of the group that holds the schedules. */
  readonly scheduleGroup: string;
  /** The role that schedules act in: it may trigger deliveries, and nothing else. */
  readonly scheduleRole: Role;
  readonly #stage: string;

  constructor(scope: Construct, id: string, { config }: { readonly config: Config }) {
    super(scope, id);
    this.#stage = config.stage;
    this.bus = new EventBus(this, 'Bus', { eventBusName: busName(config.stage) });
    this.queues = this.#makeQueues(config);
    new Rule(this, 'EveryEvent', {
      eventBus: this.bus,
      description:
        'Every event of this account; the reader counts and drops those that are not the platform’s',
      eventPattern: { account: [Aws.ACCOUNT_ID] },
      targets: [new SqsQueue(this.queue('events'), { deadLetterQueue: this.queue('deadEvents') })],
    });
    this.scheduleGroup = `${config.stage}-deliveries`;
    new CfnScheduleGroup(this, 'ScheduleGroup', { name: this.scheduleGroup });
    this.scheduleRole = new Role(this, 'ScheduleRole', {
      // The group, never a schedule of it (EventBridge Scheduler user guide, Confused deputy prevention).
      assumedBy: serviceFor('scheduler.amazonaws.com', this.#groupArn()),
    });
    this.scheduleRole.addToPolicy(
      new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.queue('retries').queueArn] }),
    );
    allowSealed(config, this.scheduleRole);
    this.#output(VARIABLES.eventBus, this.bus.eventBusName);
    for (const [name, { queueUrl }] of Object.entries(this.queues))
      this.#output(QUEUES[name as QueueName].variable, queueUrl);
  }

  /** Throws an error if the settings leave the queue out. */
  queue(name: QueueName): Queue {
    const queue = this.queues[name];
    if (queue === undefined) throw new Error(`there is no queue ${name}`);
    return queue;
  }

  #groupArn(): string {
    return Stack.of(this).formatArn({
      service: 'scheduler',
      resource: 'schedule-group',
      resourceName: this.scheduleGroup,
    });
  }

  /** Dead-letter queues first, because the others name them. */
  #makeQueues({ market }: Config): Messaging['queues'] {
    const specs = (Object.entries(QUEUES) as [QueueName, QueueSpec][]).filter(
      ([, { setting }]) => setting === undefined || market,
    );
    const queues: Partial<Record<QueueName, Queue>> = {};
    for (const [name, { reader }] of specs) if (reader === undefined) queues[name] = this.#deadLetters(name);
    for (const [name, spec] of specs) {
      if (spec.reader === undefined) continue;
      const dead = queues[spec.dead?.queue as QueueName];
      if (dead === undefined) throw new Error(`the queue ${name} has nowhere to put what cannot be handled`);
      queues[name] = new Queue(this, capitalized(name), {
        ...this.#common(name),
        visibilityTimeout: Duration.seconds(spec.visibilitySeconds ?? 0),
        deadLetterQueue: { queue: dead, maxReceiveCount: spec.dead?.maxReceives ?? 1 },
      });
    }
    return queues;
  }

  #deadLetters(name: QueueName): Queue {
    const queue = new Queue(this, capitalized(name), this.#common(name));
    Validations.of(queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'It is a dead-letter queue itself.',
    });
    return queue;
  }

  #common(name: QueueName) {
    return {
      // Named, so that the operations stack need not import the names from this one.
      queueName: queueNameOf(this.#stage, name),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: RETENTION,
    };
  }

  /** The outputs by which the operator's command locates the bus and the dead letters. */
  #output(variable: string, value: string): void {
    new CfnOutput(this, `Output-${variable}`, { value }).overrideLogicalId(outputName(variable));
  }
}

const capitalized = (name: string): string => `${name[0]?.toUpperCase()}${name.slice(1)}`;
