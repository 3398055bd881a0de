/** Triggers of attempts as messages of SQS, grouped by subscription; those beyond its longest delay as one-time schedules. */
import {
  ActionAfterCompletion,
  ConflictException,
  CreateScheduleCommand,
  FlexibleTimeWindowMode,
  type SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { SendMessageBatchCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { requireVariable, VARIABLES } from '../../platform/contract/environment.ts';
import { QUEUES, type QueueName } from '../../platform/contract/queues.ts';
import type { Clock } from '../../platform/core/ports.ts';
import type { AttemptTrigger, Lane, TriggerQueue } from '../core/ports.ts';

/** SQS holds a message back for 15 minutes at most (Amazon SQS quotas). */
const LONGEST_DELAY_SECONDS = 900;

/** Messages of one request (Amazon SQS quotas). */
const BATCH = 10;

/** A schedule that calls an API passes its input on as the request (EventBridge Scheduler user guide, universal targets). */
const SEND_MESSAGE = 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage';

/** A trigger in queues and schedules. */
export const triggerSchema = z.object({
  accountId: z.string().min(1),
  webhookId: z.string().min(1),
  deliveryId: z.string().min(1),
  eventId: z.string().min(1),
  attempt: z.int().min(1),
  manual: z.boolean().default(false),
});

type Environment = Readonly<Record<string, string | undefined>>;

/** Sends to the queues from the environment; resolves when all messages are stored. */
export function createTriggerSender(
  client: SQSClient,
  environment: Environment,
): Pick<TriggerQueue, 'enqueue'> {
  const urls = { deliveries: queueUrl(environment, 'deliveries'), retries: queueUrl(environment, 'retries') };
  return { enqueue: (triggers, lane) => sendAll(client, urls[lane], triggers) };
}

export interface TriggerQueueOptions {
  readonly queues: SQSClient;
  readonly schedules: SchedulerClient;
  readonly environment: Environment;
  readonly clock: Clock;
}

/** The whole of a delivery's timing. */
export function createTriggerQueue({
  queues,
  schedules,
  environment,
  clock,
}: TriggerQueueOptions): TriggerQueue {
  const retries = queueUrl(environment, 'retries');
  const exhausted = queueUrl(environment, 'exhaustedDeliveries');
  const group = requireVariable(environment, VARIABLES.scheduleGroup);
  const roleArn = requireVariable(environment, VARIABLES.scheduleRole);
  return {
    ...createTriggerSender(queues, environment),
    async schedule(trigger, atMs) {
      const delaySeconds = Math.max(0, Math.ceil((atMs - clock()) / 1000));
      if (delaySeconds > LONGEST_DELAY_SECONDS) {
        await schedule(schedules, { group, roleArn, queueUrl: retries }, trigger, atMs);
        return;
      }
      const delayed = { ...message(trigger), QueueUrl: retries, DelaySeconds: delaySeconds };
      await queues.send(new SendMessageCommand(delayed));
    },
    async deadLetter(trigger) {
      await queues.send(new SendMessageCommand({ ...message(trigger), QueueUrl: exhausted }));
    },
  };
}

const queueUrl = (environment: Environment, name: QueueName): string =>
  requireVariable(environment, QUEUES[name].variable);

/** The group makes the queue a fair one: a subscription with a backlog holds up no other (Amazon SQS, fair queues). */
const message = (trigger: AttemptTrigger) => ({
  MessageBody: JSON.stringify(trigger),
  MessageGroupId: trigger.webhookId,
});

async function sendAll(client: SQSClient, url: string, triggers: readonly AttemptTrigger[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(triggers.length / BATCH) }, (_, index) =>
    triggers.slice(index * BATCH, (index + 1) * BATCH),
  );
  await Promise.all(
    batches.map(async (batch) => {
      const entries = batch.map((trigger, index) => ({ Id: String(index), ...message(trigger) }));
      const { Failed: failed = [] } = await client.send(
        new SendMessageBatchCommand({ QueueUrl: url, Entries: entries }),
      );
      // Those that went through may come again: a second trigger of an attempt has no effect.
      if (failed.length > 0) throw new Error(`${failed.length} messages were not taken: ${failed[0]?.Code}`);
    }),
  );
}

/** Named after the attempt, so that scheduling it again changes nothing. */
async function schedule(
  client: SchedulerClient,
  target: { readonly group: string; readonly roleArn: string; readonly queueUrl: string },
  trigger: AttemptTrigger,
  atMs: number,
): Promise<void> {
  const request = { ...message(trigger), QueueUrl: target.queueUrl };
  try {
    await client.send(
      new CreateScheduleCommand({
        Name: `${trigger.deliveryId}-${trigger.attempt}`,
        GroupName: target.group,
        // Seconds, rounded up: a trigger that comes early would be one attempt too soon.
        ScheduleExpression: `at(${new Date(Math.ceil(atMs / 1000) * 1000).toISOString().slice(0, 19)})`,
        FlexibleTimeWindow: { Mode: FlexibleTimeWindowMode.OFF },
        ActionAfterCompletion: ActionAfterCompletion.DELETE,
        Target: { Arn: SEND_MESSAGE, RoleArn: target.roleArn, Input: JSON.stringify(request) },
      }),
    );
  } catch (failure) {
    if (!(failure instanceof ConflictException)) throw failure;
  }
}

/** Returns a function that reads the lane of a queue from the end of its ARN, by the URL that the environment names. */
export function laneOfQueue(environment: Environment): (queueArn: string) => Lane {
  const name = queueUrl(environment, 'deliveries').split('/').at(-1);
  return (queueArn) => (queueArn.split(':').at(-1) === name ? 'deliveries' : 'retries');
}
