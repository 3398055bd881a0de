/** SQS in its JSON protocol, as far as functions and the operator's command use it. Source: Amazon SQS API reference. */
import { setTimeout as sleep } from 'node:timers/promises';
import { md5 } from '../messaging/poller.ts';
import type { LocalQueue, NewMessage, ReceivedMessage } from '../messaging/queue.ts';
import type { Queues } from '../messaging/queues.ts';
import type { AwsServiceHandler } from './endpoint.ts';
import { AwsError, parseBody } from './errors.ts';

interface Message {
  readonly MessageBody?: string;
  readonly MessageGroupId?: string;
  readonly DelaySeconds?: number;
}

interface Request extends Message {
  readonly QueueUrl?: string;
  readonly Entries?: readonly (Message & { readonly Id: string; readonly ReceiptHandle?: string })[];
  readonly MaxNumberOfMessages?: number;
  readonly WaitTimeSeconds?: number;
  readonly ReceiptHandle?: string;
}

type Operation = (queue: LocalQueue, request: Request) => object | Promise<object>;

/** Amazon SQS quotas. */
const MAX_DELAY_SECONDS = 900;
const MAX_MESSAGE_BYTES = 1024 * 1024;
const MAX_BATCH = 10;

/** Operations with the IAM action of each: a batch needs what one message needs (service authorization reference). */
const OPERATIONS: Readonly<Record<string, readonly [action: string, run: Operation]>> = {
  SendMessage: ['SendMessage', (queue, request) => send(queue, [request])[0] ?? {}],
  SendMessageBatch: [
    'SendMessage',
    (queue, request) => {
      const entries = entriesOf(request);
      const sent = send(queue, entries);
      return { Successful: entries.map(({ Id }, index) => ({ Id, ...sent[index] })) };
    },
  ],
  ReceiveMessage: ['ReceiveMessage', receive],
  DeleteMessage: [
    'DeleteMessage',
    (queue, { ReceiptHandle: receipt = '' }) => {
      queue.delete([receipt]);
      return {};
    },
  ],
  DeleteMessageBatch: [
    'DeleteMessage',
    (queue, request) => {
      const entries = entriesOf(request);
      queue.delete(entries.flatMap(({ ReceiptHandle }) => ReceiptHandle ?? []));
      return { Successful: entries.map(({ Id }) => ({ Id })) };
    },
  ],
  GetQueueAttributes: [
    'GetQueueAttributes',
    (queue) => {
      const { visible, inFlight, delayed } = queue.counts();
      return {
        Attributes: {
          QueueArn: queue.description.arn,
          ApproximateNumberOfMessages: String(visible),
          ApproximateNumberOfMessagesNotVisible: String(inFlight),
          ApproximateNumberOfMessagesDelayed: String(delayed),
        },
      };
    },
  ],
};

export function createSqsService(queues: Queues): AwsServiceHandler {
  return async ({ operation, body, authorize }) => {
    const [action, run] = OPERATIONS[operation] ?? [];
    if (run === undefined)
      throw new AwsError('UnsupportedOperation', `the local runtime does not know the SQS call ${operation}`);
    const request = parseBody<Request>(body);
    const queue = queues.byUrl(request.QueueUrl ?? '');
    if (queue === undefined) throw new AwsError('QueueDoesNotExist', 'The specified queue does not exist.');
    authorize(`sqs:${action}`, queue.description.arn);
    return run(queue, request);
  };
}

function send(queue: LocalQueue, messages: readonly Message[]): readonly object[] {
  const accepted = messages.map(read);
  const ids = queue.send(accepted);
  return accepted.map(({ body }, index) => ({ MessageId: ids[index], MD5OfMessageBody: md5(body) }));
}

function entriesOf({ Entries: entries = [] }: Request): NonNullable<Request['Entries']> {
  if (entries.length === 0) throw new AwsError('EmptyBatchRequest', 'There should be at least one entry.');
  if (entries.length > MAX_BATCH)
    throw new AwsError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${MAX_BATCH}.`,
    );
  if (new Set(entries.map(({ Id }) => Id)).size !== entries.length)
    throw new AwsError('BatchEntryIdsNotDistinct', 'Two or more batch entries have the same Id.');
  return entries;
}

function read({ MessageBody: body, MessageGroupId: groupId, DelaySeconds: seconds }: Message): NewMessage {
  const wrong = (message: string) => new AwsError('InvalidParameterValue', message);
  if (body === undefined || body === '') throw wrong('The request must contain the parameter MessageBody.');
  if (Buffer.byteLength(body) > MAX_MESSAGE_BYTES)
    throw wrong('One or more parameters are invalid: message too long.');
  if (seconds !== undefined && !(Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_DELAY_SECONDS))
    throw wrong(
      `Value ${seconds} for parameter DelaySeconds is invalid. It must be between 0 and ${MAX_DELAY_SECONDS}.`,
    );
  return { body, groupId, ...(seconds === undefined ? {} : { delayMs: seconds * 1000 }) };
}

/** Waits for a message for as long as it is asked to. */
async function receive(
  queue: LocalQueue,
  { MaxNumberOfMessages: maxMessages = 1, WaitTimeSeconds: wait = 0 }: Request,
): Promise<object> {
  const deadlineMs = Date.now() + wait * 1000;
  let messages = queue.receive(maxMessages);
  while (messages.length === 0 && Date.now() < deadlineMs) {
    await sleep(20);
    messages = queue.receive(maxMessages);
  }
  return messages.length === 0 ? {} : { Messages: messages.map(messageOf) };
}

const messageOf = (message: ReceivedMessage) => ({
  MessageId: message.id,
  ReceiptHandle: message.receipt,
  Body: message.body,
  MD5OfBody: md5(message.body),
  Attributes: {
    ApproximateReceiveCount: String(message.receives),
    SentTimestamp: String(message.sentMs),
    ...(message.groupId === null ? {} : { MessageGroupId: message.groupId }),
  },
});
