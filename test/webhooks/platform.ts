/**
 * The whole of webhooks under a clock that a test moves: the real consumers and adapters, on the embedded DynamoDB and
 * on the local queues, bus and schedules over the wire.
 */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import {
  createDynamoClients,
  createQueueClient,
  createScheduleClient,
} from '../../lambdas/platform/aws/clients.ts';
import { createEventPublisher } from '../../lambdas/platform/aws/event-publisher.ts';
import { createResolve } from '../../lambdas/platform/connections/address-guard.ts';
import { VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import { QUEUES, type QueueName, type Queue as QueueSpec } from '../../lambdas/platform/contract/queues.ts';
import { queueReader } from '../../lambdas/platform/http/consumers.ts';
import { systemUlid } from '../../lambdas/platform/system/system.ts';
import { DeliveryWorker } from '../../lambdas/webhooks/core/deliver.ts';
import type { DeadReason, DeliveryAttempt } from '../../lambdas/webhooks/core/delivery.ts';
import type { EventType } from '../../lambdas/webhooks/core/event.ts';
import { fanOut } from '../../lambdas/webhooks/core/fan-out.ts';
import type { Publish, Send } from '../../lambdas/webhooks/core/ports.ts';
import { ReceiverHealth } from '../../lambdas/webhooks/core/receiver-health.ts';
import type { Subscription } from '../../lambdas/webhooks/core/subscription.ts';
import { DynamoDeliveryStore } from '../../lambdas/webhooks/store/delivery-store.ts';
import { DynamoEventStore } from '../../lambdas/webhooks/store/event-store.ts';
import {
  DynamoSigningSecretStore,
  newSigningSecret,
} from '../../lambdas/webhooks/store/signing-secret-store.ts';
import { DynamoSubscriptionStore } from '../../lambdas/webhooks/store/subscription-store.ts';
import {
  createTriggerQueue,
  laneOfQueue,
  triggerSchema,
} from '../../lambdas/webhooks/store/trigger-queue.ts';
import { createSealer } from '../../lambdas/webhooks/store/webhook-keys.ts';
import { createSender } from '../../lambdas/webhooks/store/webhook-sender.ts';
import { SUBSCRIPTION } from '../../lambdas/webhooks/testing/memory-deliveries.ts';
import { regionalArn } from '../../tools/local/assembly/identities.ts';
import { ACCOUNT_ID, REGION } from '../../tools/local/assembly/intrinsics.ts';
import type { QueueDescription } from '../../tools/local/assembly/queues.ts';
import { startAwsEndpoint } from '../../tools/local/aws/endpoint.ts';
import { createEventsService } from '../../tools/local/aws/events-service.ts';
import { createSchedulerService } from '../../tools/local/aws/scheduler-service.ts';
import { createSqsService } from '../../tools/local/aws/sqs-service.ts';
import { EventBuses } from '../../tools/local/messaging/event-bus.ts';
import { pass } from '../../tools/local/messaging/poller.ts';
import { Queues } from '../../tools/local/messaging/queues.ts';
import { Schedules } from '../../tools/local/messaging/schedules.ts';
import { openMessagingStore } from '../../tools/local/messaging/store.ts';
import { startDatabase } from '../../tools/test-kit/engine.ts';
import { drawsOf } from '../../tools/test-kit/seed.ts';

/** The time at which a test starts. */
export const NOON_MS = Date.UTC(2026, 6, 15, 12);

const BUS = 'platform-events';
const GROUP = 'deliveries';
const ROLE = 'arn:aws:iam::000000000000:role/schedules';
const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

const urlOf = (name: QueueName) => `https://sqs.${REGION}.amazonaws.com/${ACCOUNT_ID}/${name}`;
const arnOf = (name: QueueName) => regionalArn('sqs', name);

export const QUEUE_ENVIRONMENT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    (Object.keys(QUEUES) as QueueName[]).map((name) => [QUEUES[name].variable, urlOf(name)]),
  ),
  [VARIABLES.scheduleGroup]: GROUP,
  [VARIABLES.scheduleRole]: ROLE,
};

export interface PlatformOptions {
  /** Replaces the real sender, which may go to loopback here. */
  readonly send?: Send;
  readonly random?: () => number;
  /** Stands around every call that leaves the readers' process. */
  readonly around?: Around;
  /** Returns whether the readers' process has died since the last call. Its messages are delivered again then. */
  readonly hasDied?: () => boolean;
  /** Hands each batch to several readers at once, the messages in reverse for every other one. */
  readonly copies?: number;
}

type Around = (call: () => Promise<unknown>) => Promise<unknown>;

/** The same client with everything it sends passed through `around`. */
function aroundSend<T extends { send: unknown }>(client: T, around: Around | undefined): T {
  if (around === undefined) return client;
  const send = (command: unknown) =>
    around(() => (client.send as (c: unknown) => Promise<unknown>).call(client, command));
  return Object.create(client, { send: { value: send } }) as T;
}

export type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** A log that tests read. */
function createLines() {
  const lines: string[] = [];
  const write = (message: string, fields: object = {}) =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  return { lines, info: write, warn: write, error: write };
}

function describeQueues(): QueueDescription[] {
  return (Object.entries(QUEUES) as [QueueName, QueueSpec][]).map(([name, spec]) => ({
    name,
    arn: arnOf(name),
    url: urlOf(name),
    visibilityMs: (spec.visibilitySeconds ?? 30) * 1000,
    delayMs: 0,
    retentionMs: 14 * 86_400_000,
    dead:
      spec.dead === undefined
        ? undefined
        : {
            queueArn: arnOf(spec.dead.queue as QueueName),
            maxReceives: spec.dead.maxReceives,
          },
  }));
}

/** Queues, bus and schedules in memory, with the address that answers for them. */
async function startMessaging(clock: () => number) {
  const store = openMessagingStore(':memory:');
  const queues = new Queues({ descriptions: describeQueues(), store, clock });
  const buses = new EventBuses({
    buses: [{ name: BUS, arn: regionalArn('events', `event-bus/${BUS}`) }],
    rules: [
      {
        name: 'all',
        busName: BUS,
        pattern: { account: [ACCOUNT_ID] },
        queueArns: [arnOf('events')],
        functionArns: [],
      },
    ],
    queues,
    clock,
  });
  const schedules = new Schedules({
    groups: [GROUP],
    store,
    clock,
    fire({ input }) {
      const { QueueUrl, MessageBody, MessageGroupId } = JSON.parse(input) as Record<string, string>;
      queues.byUrl(QueueUrl ?? '')?.send([{ body: MessageBody ?? '', groupId: MessageGroupId }]);
    },
    log: () => {},
  });
  const endpoint = await startAwsEndpoint({
    services: {
      AmazonSQS: createSqsService(queues),
      AWSEvents: createEventsService(buses),
      scheduler: createSchedulerService(schedules),
    },
    authorizeAs: () => () => {},
    log: () => {},
  });
  return { queues, schedules, endpoint, store };
}

/** Everything that one reader of the queues has of its own. */
function composeReaders(
  { client: database, tables }: Pick<Awaited<ReturnType<typeof startDatabase>>, 'client' | 'tables'>,
  aws: string,
  clock: () => number,
  { send, random = drawsOf('retries'), around }: PlatformOptions,
) {
  const config = { endpoint: aws, region: REGION, credentials: CREDENTIALS };
  const client = aroundSend(database, around);
  const sqs = aroundSend(createQueueClient(config), around);
  const scheduler = aroundSend(createScheduleClient(config), around);
  const post = send ?? createSender({ allowLoopback: true, resolve: createResolve() });
  const log = createLines();
  const sealer = createSealer(async () => ({ current: 'the-key-of-these-tests' }));
  const subscriptions = new DynamoSubscriptionStore(client, tables.webhooks);
  const secrets = new DynamoSigningSecretStore(client, tables.webhooks, sealer);
  const stores = {
    events: new DynamoEventStore(client, tables.events, sealer, clock),
    deliveries: new DynamoDeliveryStore(client, tables.deliveries, clock),
  };
  const triggers = createTriggerQueue({
    queues: sqs,
    schedules: scheduler,
    environment: QUEUE_ENVIRONMENT,
    clock,
  });
  const observed = { attempts: [] as DeliveryAttempt[], dead: [] as DeadReason[], rejected: 0, disabled: 0 };
  const once = createEventPublisher(createDynamoClients(config).client, {
    AWS_ENDPOINT_URL: aws,
    [VARIABLES.eventBus]: BUS,
  });
  const publish: Publish =
    around === undefined ? once : (event) => around(() => once(event)) as Promise<void>;
  const health = new ReceiverHealth({
    store: subscriptions,
    publish,
    clock,
    onDisabled: () => {
      observed.disabled += 1;
    },
    log,
  });
  const worker = new DeliveryWorker({
    ...stores,
    secrets,
    triggers,
    health,
    clock,
    random,
    ulid: systemUlid,
    claimMs: 40_000,
    send: around === undefined ? post : (request) => around(() => post(request)) as ReturnType<Send>,
    watch: {
      onAttempt: (attempt) => observed.attempts.push(attempt),
      onDead: (reason) => observed.dead.push(reason),
    },
  });
  const laneOf = laneOfQueue(QUEUE_ENVIRONMENT);
  const deliver = queueReader(
    ({ body, queueArn }) => worker.handle(triggerSchema.parse(body), laneOf(queueArn)),
    log,
  );
  const fanOutDependencies = {
    ...stores,
    subscriptions,
    triggers,
    clock,
    log,
    onCreated: () => {},
    onRejected: () => {
      observed.rejected += 1;
    },
  };
  const fanOutReader = queueReader(({ body }) => fanOut(fanOutDependencies, body), log);
  const close = () => {
    for (const one of [sqs, scheduler]) one.destroy();
  };
  const readers = { events: fanOutReader, deliveries: deliver, retries: deliver };
  return { ...stores, subscriptions, secrets, triggers, publish, log, seen: observed, readers, sqs, close };
}

type Reader = ReturnType<typeof queueReader>;

/** Invokes the readers. A message at which any of them failed is delivered again. */
async function invokeAll(
  reader: Reader,
  { Records: records }: SQSEvent,
  copies: number,
): Promise<SQSBatchResponse> {
  const orders = Array.from({ length: copies }, (_, index) =>
    index % 2 === 0 ? records : records.toReversed(),
  );
  const results = await Promise.all(orders.map((Records) => reader({ Records } as never, {} as Context)));
  return {
    batchItemFailures: (results as SQSBatchResponse[]).flatMap(({ batchItemFailures }) => batchItemFailures),
  };
}

export async function startPlatform(options: PlatformOptions = {}) {
  const time = { nowMs: NOON_MS };
  const clock = () => time.nowMs;
  const database = await startDatabase();
  const messaging = await startMessaging(clock);
  const parts = composeReaders(database, messaging.endpoint.url, clock, options);
  const { queues, schedules } = messaging;
  const lanes = Object.entries(parts.readers) as [keyof typeof parts.readers, Reader][];

  /** Hands over what can be received, until there is nothing more. */
  async function settle(): Promise<void> {
    for (let isBusy = true; isBusy; ) {
      isBusy = false;
      for (const [name, reader] of lanes) {
        const queue = queues.byArn(arnOf(name));
        const batch = queue.receive(10);
        if (batch.length === 0) continue;
        isBusy = true;
        const mapping = {
          functionName: name,
          queueArn: arnOf(name),
          batchSize: 10,
          maxConcurrency: 1,
          partialFailures: true,
        };
        const invoke = async (event: unknown) => {
          const result = await invokeAll(reader, event as SQSEvent, options.copies ?? 1);
          if (options.hasDied?.()) throw new Error('the process died');
          return result;
        };
        await pass({ mapping, queue, invoke, log: () => {} }, batch).catch(() => {});
      }
    }
  }

  /** Moves the clock to whatever happens next, until `untilMs`; false when nothing does. */
  async function step(untilMs: number): Promise<boolean> {
    const times = [schedules.nextMs, ...lanes.map(([name]) => queues.byArn(arnOf(name)).nextVisibleMs)];
    const next = Math.min(...times.map((at) => at ?? Number.POSITIVE_INFINITY));
    if (next > untilMs) return false;
    time.nowMs = Math.max(time.nowMs, next);
    schedules.fireDue();
    await settle();
    return true;
  }

  return {
    ...parts,
    database,
    queues,
    schedules,
    time,
    settle,
    /** Lets so much time pass, with everything that happens in it. */
    async pass(ms: number): Promise<void> {
      const untilMs = time.nowMs + ms;
      await settle();
      while (await step(untilMs));
      time.nowMs = untilMs;
    },
    /** Subscribes a new account, or the one given. */
    async subscribe(
      url: string,
      { accountId = `acc_${systemUlid()}`, events = ['review.created'] as EventType[] } = {},
    ): Promise<Subscription & { readonly secret: string }> {
      const subscription: Subscription = {
        ...SUBSCRIPTION,
        accountId,
        id: `wh_${systemUlid()}`,
        url,
        events,
        created: Math.floor(clock() / 1000),
      };
      const secret = newSigningSecret();
      await parts.secrets.create(subscription, secret, 1_000);
      return { ...subscription, secret };
    },
    /** Messages that wait in a queue, in whatever state. */
    waiting(name: QueueName): number {
      const { visible, inFlight, delayed } = queues.byArn(arnOf(name)).counts();
      return visible + inFlight + delayed;
    },
    queue: (name: QueueName) => queues.byArn(arnOf(name)),
    async close(): Promise<void> {
      parts.close();
      await messaging.endpoint.close();
      messaging.store.close();
      await database.stop();
    },
  };
}
