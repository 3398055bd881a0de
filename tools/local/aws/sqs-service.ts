/** SQS in its JSON protocol, as far as functions and the operator's command use it. Source: Amazon SQS API reference. */
import { md5 } from '../messaging/poller.ts';
import type { LocalQueue, NewMessage, ReceivedMessage } from '../messaging/queue.ts';
import type { Queues } from '../messaging/queues.ts';
import type { Authorize } from './callers.ts';
import { type AwsServiceHandler, sendJson } from './endpoint.ts';
import { AwsError } from './errors.ts';

interface Message {
  readonly MessageBody?: string;
  readonly MessageGroupId?: string;
  readonly DelaySeconds?: number;
}

interface Request extends Message {
  readonly QueueUrl?: string;
  readonly Entries?: readonly (Message & { readonly Id: string; readonly ReceiptHandle?: string })[];
  readonly MaxNumberOfMessages?: number;
  readonly VisibilityTimeout?: number;
  readonly WaitTimeSeconds?: number;
  readonly ReceiptHandle?: string;
}

type Operation = (queue: LocalQueue, request: Request) => object | Promise<object>;

/** Amazon SQS quotas. */
const MAX_DELAY_SECONDS = 900;
const MAX_MESSAGE_BYTES = 1024 * 1024;
const MAX_BATCH = 10;

/** The IAM action of each operation: a batch needs what one message needs (service authorization reference). */
const OPERATIONS: Readonly<Record<string, { readonly action: string; readonly run: Operation }>> = {
  SendMessage: {
    action: 'SendMessage',
    run(queue, request) {
      const message = read(request);
      const [id = ''] = queue.send([message]);
      return { MessageId: id, MD5OfMessageBody: md5(message.body) };
    },
  },
  SendMessageBatch: {
    action: 'SendMessage',
    run(queue, request) {
      const entries = entriesOf(request);
      const messages = entries.map(read);
      const ids = queue.send(messages);
      return {
        Successful: entries.map(({ Id }, index) => ({
          Id,
          MessageId: ids[index],
          MD5OfMessageBody: md5(messages[index]?.body ?? ''),
        })),
      };
    },
  },
  ReceiveMessage: { action: 'ReceiveMessage', run: receive },
  DeleteMessage: {
    action: 'DeleteMessage',
    run(queue, { ReceiptHandle: receipt = '' }) {
      queue.delete([receipt]);
      return {};
    },
  },
  DeleteMessageBatch: {
    action: 'DeleteMessage',
    run(queue, request) {
      const entries = entriesOf(request);
      queue.delete(entries.flatMap(({ ReceiptHandle }) => ReceiptHandle ?? []));
      return { Successful: entries.map(({ Id }) => ({ Id })) };
    },
  },
  ChangeMessageVisibility: {
    action: 'ChangeMessageVisibility',
    run(queue, { ReceiptHandle: receipt = '', VisibilityTimeout: seconds = 0 }) {
      queue.changeVisibility(receipt, seconds * 1000);
      return {};
    },
  },
  GetQueueAttributes: {
    action: 'GetQueueAttributes',
    run(queue) {
      const { visible, inFlight, delayed } = queue.counts();
      return {
        Attributes: {
          QueueArn: queue.description.arn,
          ApproximateNumberOfMessages: String(visible),
          ApproximateNumberOfMessagesNotVisible: String(inFlight),
          ApproximateNumberOfMessagesDelayed: String(delayed),
          VisibilityTimeout: String(queue.description.visibilityMs / 1000),
        },
      };
    },
  },
};

export function createSqsService(queues: Queues): AwsServiceHandler {
  return async ({ operation, body, authorize }, response) => {
    const operationHandler = OPERATIONS[operation];
    if (operationHandler === undefined)
      throw new AwsError('UnsupportedOperation', `the local runtime does not know the SQS call ${operation}`);
    const request = parse(body);
    const queue = findQueue(queues, request.QueueUrl, authorize, operationHandler.action);
    sendJson(response, 200, JSON.stringify(await operationHandler.run(queue, request)));
  };
}

function findQueue(
  queues: Queues,
  url: string | undefined,
  authorize: Authorize,
  action: string,
): LocalQueue {
  const queue = queues.byUrl(url ?? '');
  if (queue === undefined) throw new AwsError('QueueDoesNotExist', 'The specified queue does not exist.');
  authorize(`sqs:${action}`, queue.description.arn);
  return queue;
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
async function receive(queue: LocalQueue, request: Request): Promise<object> {
  const {
    MaxNumberOfMessages: maxMessages = 1,
    VisibilityTimeout: seconds,
    WaitTimeSeconds: wait = 0,
  } = request;
  const receiveMessages = () =>
    queue.receive(maxMessages, seconds === undefined ? undefined : seconds * 1000);
  const deadlineMs = Date.now() + wait * 1000;
  let messages = receiveMessages();
  while (messages.length === 0 && Date.now() < deadlineMs) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    messages = receiveMessages();
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

function parse(body: Buffer): Request {
  try {
    return JSON.parse(body.toString()) as Request;
  } catch {
    throw new AwsError('SerializationException', 'the request body is not a JSON object');
  }
}
