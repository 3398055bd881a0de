import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import {
  ReceiveMessageCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { regionalArn } from '../assembly/identities.ts';
import { type AwsEndpoint, startAwsEndpoint } from '../aws/endpoint.ts';
import { AwsError } from '../aws/errors.ts';
import { createEventsService } from '../aws/events-service.ts';
import { createSchedulerService } from '../aws/scheduler-service.ts';
import { createSqsService } from '../aws/sqs-service.ts';
import { describedQueue } from '../testing/described-queue.ts';
import { EventBuses } from './event-bus.ts';
import { Queues } from './queues.ts';
import { Schedules } from './schedules.ts';
import { openMessagingStore, type StoredSchedule } from './store.ts';

const QUEUE = describedQueue('work');
const DUE_MS = Date.UTC(2026, 6, 15, 13);

const store = openMessagingStore(':memory:');
const actions: string[] = [];
const fired: StoredSchedule[] = [];
let nowMs = DUE_MS - 3_600_000;
const clock = () => nowMs;
const queues = new Queues({ descriptions: [QUEUE], store, clock });
const buses = new EventBuses({
  buses: [{ name: 'bus', arn: regionalArn('events', 'event-bus/bus') }],
  rules: [],
  queues,
  clock,
});
const schedules = new Schedules({
  groups: ['group'],
  store,
  clock,
  fire: (schedule) => fired.push(schedule),
  log: () => {},
});
let endpoint: AwsEndpoint;
let sqs: SQSClient;
let events: EventBridgeClient;
let scheduler: SchedulerClient;
let denied: SQSClient;

beforeAll(async () => {
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
  const configOf = (accessKeyId: string) => ({
    endpoint: endpoint.url,
    region: 'us-east-1',
    credentials: { accessKeyId, secretAccessKey: 'local' },
    useQueueUrlAsEndpoint: false,
  });
  sqs = new SQSClient(configOf('local'));
  denied = new SQSClient(configOf('denied'));
  events = new EventBridgeClient(configOf('local'));
  scheduler = new SchedulerClient(configOf('local'));
});

afterAll(async () => {
  for (const client of [sqs, denied, events, scheduler]) client.destroy();
  await endpoint.close();
  store.close();
});

const send = (changes: Partial<SendMessageCommandInput>, client = sqs) =>
  client.send(new SendMessageCommand({ QueueUrl: QUEUE.url, MessageBody: 'x', ...changes }));
const put = (Detail: string, EventBusName: string) =>
  events.send(new PutEventsCommand({ Entries: [{ EventBusName, Source: 's', DetailType: 't', Detail }] }));
const plan = (changes: Partial<CreateScheduleCommandInput>) =>
  scheduler.send(
    new CreateScheduleCommand({
      Name: 'one',
      GroupName: 'group',
      ScheduleExpression: 'at(2026-07-15T13:00:00)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
      Target: { Arn: 'arn:target', RoleArn: 'arn:role', Input: '{}' },
      ...changes,
    }),
  );

describe('the SDK’s clients of queues, buses and schedules', () => {
  it.each<readonly [string, string, () => Promise<unknown>]>([
    ['a queue that is not there', 'QueueDoesNotExist', () => send({ QueueUrl: `${QUEUE.url}-other` })],
    ['a long delay', 'InvalidParameterValue', () => send({ DelaySeconds: 901 })],
    ['a long body', 'InvalidParameterValue', () => send({ MessageBody: 'x'.repeat(1024 * 1024 + 1) })],
    ['a caller without the right', 'AccessDeniedException', () => send({}, denied)],
    ['a bus that is not there', 'ResourceNotFoundException', () => put('{}', 'no-bus')],
    ['a group that is not there', 'ResourceNotFoundException', () => plan({ GroupName: 'no-group' })],
    ['a rate', 'ValidationException', () => plan({ ScheduleExpression: 'rate(5 minutes)' })],
    ['a schedule that stays', 'ValidationException', () => plan({ ActionAfterCompletion: 'NONE' })],
    [
      'a flexible time',
      'ValidationException',
      () => plan({ FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 5 } }),
    ],
  ])('receive an error for %s: %s', async (_, name, call) => {
    await expect(call()).rejects.toMatchObject({ name });
  });

  it('receive an error for the one entry that is not JSON', async () => {
    const Entries = [{ ErrorCode: 'MalformedDetail' }];
    expect(await put('not JSON', 'bus')).toMatchObject({ FailedEntryCount: 1, Entries });
  });

  it('plan a schedule once; it fires when it is due, and is gone; each call needs its permissions', async () => {
    actions.length = 0;
    await plan({});
    await sqs.send(new ReceiveMessageCommand({ QueueUrl: QUEUE.url }));
    expect(actions).toEqual([
      `scheduler:CreateSchedule ${regionalArn('scheduler', 'schedule/group/one')}`,
      'iam:PassRole arn:role',
      `sqs:ReceiveMessage ${QUEUE.arn}`,
    ]);
    await expect(plan({})).rejects.toMatchObject({ name: 'ConflictException' });
    nowMs = DUE_MS - 1;
    schedules.fireDue();
    expect([fired, schedules.nextMs]).toEqual([[], DUE_MS]);
    nowMs = DUE_MS;
    schedules.fireDue();
    schedules.fireDue();
    expect(fired).toMatchObject([{ name: 'one', targetArn: 'arn:target' }]);
    expect(store.schedules()).toEqual([]);
  });
});
