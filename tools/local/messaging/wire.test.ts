import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { regionalArn } from '../assembly/identities.ts';
import { ACCOUNT_ID } from '../assembly/intrinsics.ts';
import { type AwsEndpoint, startAwsEndpoint } from '../aws/endpoint.ts';
import { AwsError } from '../aws/errors.ts';
import { createEventsService } from '../aws/events-service.ts';
import { createSchedulerService } from '../aws/scheduler-service.ts';
import { createSqsService } from '../aws/sqs-service.ts';
import { EventBuses } from './event-bus.ts';
import { Queues } from './queues.ts';
import { Schedules } from './schedules.ts';
import { type MessagingStore, openMessagingStore, type StoredSchedule } from './store.ts';

const URL = `https://sqs.us-east-1.amazonaws.com/${ACCOUNT_ID}/work`;
const ARN = regionalArn('sqs', 'work');
const NOW_MS = Date.UTC(2026, 6, 15, 12);

let store: MessagingStore;
let endpoint: AwsEndpoint;
let schedules: Schedules;
let sqs: SQSClient;
let events: EventBridgeClient;
let scheduler: SchedulerClient;
let nowMs = NOW_MS;
const actions: string[] = [];
const fired: StoredSchedule[] = [];

beforeAll(async () => {
  store = openMessagingStore(':memory:');
  const queue = {
    name: 'work',
    arn: ARN,
    url: URL,
    visibilityMs: 30_000,
    delayMs: 0,
    retentionMs: 1e9,
    dead: undefined,
  };
  const queues = new Queues({ descriptions: [queue], store, clock: () => nowMs });
  schedules = new Schedules({
    groups: ['group'],
    store,
    clock: () => nowMs,
    fire: (schedule) => fired.push(schedule),
    log: () => {},
  });
  const buses = new EventBuses({
    buses: [{ name: 'bus', arn: regionalArn('events', 'event-bus/bus') }],
    rules: [
      {
        name: 'r',
        busName: 'bus',
        pattern: { 'detail-type': ['wanted'], detail: { kind: ['x', 1] } },
        queueArns: [ARN],
      },
    ],
    queues,
    clock: () => nowMs,
  });
  endpoint = await startAwsEndpoint({
    services: {
      AmazonSQS: createSqsService(queues),
      AWSEvents: createEventsService(buses),
      scheduler: createSchedulerService(schedules),
    },
    authorizeAs: (accessKeyId) => (action, resourceArn) => {
      actions.push(`${action} ${resourceArn}`);
      if (accessKeyId === 'denied') throw new AwsError('AccessDeniedException', `${action} is denied`);
    },
    log: () => {},
  });
  const config = {
    endpoint: endpoint.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
  sqs = new SQSClient({ ...config, useQueueUrlAsEndpoint: false });
  events = new EventBridgeClient(config);
  scheduler = new SchedulerClient(config);
});

afterAll(async () => {
  for (const client of [sqs, events, scheduler]) client.destroy();
  await endpoint.close();
  store.close();
});

const receive = async () =>
  (await sqs.send(new ReceiveMessageCommand({ QueueUrl: URL, MaxNumberOfMessages: 10 }))).Messages ?? [];

async function empty(): Promise<void> {
  const messages = await receive();
  if (messages.length === 0) return;
  const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: URL, Entries }));
}

const schedule = (changes: Partial<CreateScheduleCommandInput> = {}): CreateScheduleCommand =>
  new CreateScheduleCommand({
    Name: 'one',
    GroupName: 'group',
    ScheduleExpression: 'at(2026-07-15T13:00:00)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
    Target: { Arn: 'arn:target', RoleArn: 'arn:role', Input: '{}' },
    ...changes,
  });

describe('the SDK’s SQS client', () => {
  it('sends, receives and deletes, one by one and in batches', async () => {
    await sqs.send(new SendMessageCommand({ QueueUrl: URL, MessageBody: 'grüße', MessageGroupId: 'g' }));
    const Entries = [1, 2].map((number) => ({ Id: String(number), MessageBody: `body ${number}` }));
    const batch = await sqs.send(new SendMessageBatchCommand({ QueueUrl: URL, Entries }));
    expect(batch.Successful).toHaveLength(2);
    const attributes = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: URL, AttributeNames: ['All'] }),
    );
    expect(attributes.Attributes).toMatchObject({ ApproximateNumberOfMessages: '3', QueueArn: ARN });
    const messages = await receive();
    expect(messages.map(({ Body }) => Body).sort()).toEqual(['body 1', 'body 2', 'grüße']);
    await sqs.send(
      new DeleteMessageBatchCommand({
        QueueUrl: URL,
        Entries: messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
      }),
    );
    nowMs += 60_000;
    expect(await receive()).toEqual([]);
  });

  it.each([
    [{ QueueUrl: `${URL}-other`, MessageBody: 'x' }, 'QueueDoesNotExist'],
    [{ QueueUrl: URL, MessageBody: 'x', DelaySeconds: 901 }, 'InvalidParameterValue'],
    [{ QueueUrl: URL, MessageBody: 'x'.repeat(1024 * 1024 + 1) }, 'InvalidParameterValue'],
  ])('reports what is wrong', async (input, name) => {
    await expect(sqs.send(new SendMessageCommand(input))).rejects.toMatchObject({ name });
  });

  it('needs the permission of each call, on the queue', async () => {
    actions.length = 0;
    await receive();
    expect(actions).toEqual([`sqs:ReceiveMessage ${ARN}`]);
    const denied = new SQSClient({
      endpoint: endpoint.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'denied', secretAccessKey: 'x' },
      useQueueUrlAsEndpoint: false,
    });
    const call = denied.send(new SendMessageCommand({ QueueUrl: URL, MessageBody: 'x' }));
    await expect(call).rejects.toMatchObject({ name: 'AccessDeniedException' });
    denied.destroy();
  });
});

describe('the SDK’s EventBridge client', () => {
  const put = (DetailType: string, Detail: string, EventBusName = 'bus') =>
    events.send(new PutEventsCommand({ Entries: [{ EventBusName, Source: 'test', DetailType, Detail }] }));

  it('puts events, which go where a rule waits for them', async () => {
    await empty();
    await put('wanted', '{"kind":"x","more":true}');
    await put('wanted', '{"kind":["y",1]}');
    await put('wanted', '{"kind":"y"}');
    await put('other', '{"kind":"x"}');
    const messages = (await receive()).map(({ Body = '{}' }) => JSON.parse(Body) as { detail: object });
    expect(messages.map(({ detail }) => detail)).toEqual([{ kind: 'x', more: true }, { kind: ['y', 1] }]);
    expect(messages[0]).toMatchObject({
      'detail-type': 'wanted',
      source: 'test',
      account: ACCOUNT_ID,
      time: new Date(nowMs).toISOString().replace('.000Z', 'Z'),
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it('reports what is wrong, entry by entry', async () => {
    expect(await put('wanted', 'not JSON')).toMatchObject({
      FailedEntryCount: 1,
      Entries: [{ ErrorCode: 'MalformedDetail' }],
    });
    await expect(put('wanted', '{}', 'no-bus')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});

describe('the SDK’s Scheduler client', () => {
  it('plans a schedule once; it fires when it is due, and is gone', async () => {
    nowMs = NOW_MS;
    actions.length = 0;
    await scheduler.send(schedule());
    expect(actions).toEqual([
      `scheduler:CreateSchedule ${regionalArn('scheduler', 'schedule/group/one')}`,
      'iam:PassRole arn:role',
    ]);
    await expect(scheduler.send(schedule())).rejects.toMatchObject({ name: 'ConflictException' });
    nowMs = Date.UTC(2026, 6, 15, 13) - 1;
    schedules.fireDue();
    expect(fired).toEqual([]);
    nowMs += 1;
    expect(schedules.nextMs).toBe(nowMs);
    schedules.fireDue();
    schedules.fireDue();
    expect(fired).toMatchObject([{ name: 'one', targetArn: 'arn:target' }]);
    expect(store.schedules()).toEqual([]);
    await scheduler.send(schedule());
  });

  it.each([
    [{ GroupName: 'no-group' }, 'ResourceNotFoundException'],
    [{ Name: 'two', ScheduleExpression: 'rate(5 minutes)' }, 'ValidationException'],
    [{ Name: 'two', ActionAfterCompletion: 'NONE' as const }, 'ValidationException'],
    [
      { Name: 'two', FlexibleTimeWindow: { Mode: 'FLEXIBLE' as const, MaximumWindowInMinutes: 5 } },
      'ValidationException',
    ],
  ])('reports what is not supported: %j', async (changes, name) => {
    await expect(scheduler.send(schedule(changes))).rejects.toMatchObject({ name });
  });
});
