/** Brings dead deliveries back: each is sent to the queue of retries before it is deleted, so that none is lost. */
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { requireVariable } from '../../lambdas/contract/environment.ts';
import { QUEUES } from '../../lambdas/contract/queues.ts';

/** Messages of one request (Amazon SQS quotas). */
const BATCH = 10;

/** Returns how many messages were moved; a message that comes twice is one attempt all the same. */
export async function redrive(
  client: SQSClient,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const from = requireVariable(environment, QUEUES.deadDeliveries.variable);
  const to = requireVariable(environment, QUEUES.retries.variable);
  let moved = 0;
  for (;;) {
    const { Messages: messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: from,
        MaxNumberOfMessages: BATCH,
        // Every host of the queue is asked, not a sample of them.
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
