/** Brings dead letters back: each is sent to the queue it is for before it is deleted, so that none is lost. */
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { requireVariable } from '../lambdas/platform/contract/environment.ts';
import { QUEUES } from '../lambdas/platform/contract/queues.ts';

/** Messages of one request (Amazon SQS quotas). */
const BATCH = 10;

/** The queues of dead letters, and the queue to which each is moved. */
export const REDRIVES = {
  deliveries: {
    from: [QUEUES.exhaustedDeliveries.variable, QUEUES.deadDeliveries.variable],
    to: QUEUES.retries.variable,
  },
  events: { from: [QUEUES.deadEvents.variable], to: QUEUES.events.variable },
} as const;

export type RedriveResult = keyof typeof REDRIVES;

/** Returns how many messages were moved; one that comes twice is handled once all the same. */
export async function redrive(
  client: SQSClient,
  environment: Readonly<Record<string, string | undefined>>,
  what: RedriveResult,
): Promise<number> {
  const to = requireVariable(environment, REDRIVES[what].to);
  let moved = 0;
  for (const from of REDRIVES[what].from)
    moved += await moveAll(client, requireVariable(environment, from), to);
  return moved;
}

async function moveAll(client: SQSClient, from: string, to: string): Promise<number> {
  let moved = 0;
  for (;;) {
    const { Messages: messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: from,
        MaxNumberOfMessages: BATCH,
        // Queries every server of the queue instead of a sample.
        WaitTimeSeconds: 1,
        MessageSystemAttributeNames: ['MessageGroupId'],
      }),
    );
    if (messages.length === 0) return moved;
    for (const { Body: body, Attributes: attributes, ReceiptHandle: receipt } of messages) {
      const MessageGroupId = attributes?.MessageGroupId;
      await client.send(new SendMessageCommand({ QueueUrl: to, MessageBody: body, MessageGroupId }));
      await client.send(new DeleteMessageCommand({ QueueUrl: from, ReceiptHandle: receipt }));
      moved += 1;
    }
  }
}
