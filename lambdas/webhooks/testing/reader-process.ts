/** A reader of the queues in a process of its own, for tests that kill it: receives, handles and deletes until then. */
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse } from 'aws-lambda';
import { DATABASE_TABLES, engineClients } from '../../../tools/test-kit/engine.ts';
import { QUEUES } from '../../platform/contract/queues.ts';
import { composeReaders, QUEUE_ENVIRONMENT } from './platform.ts';

const [databaseEndpoint = '', awsEndpoint = '', claimMs = ''] = process.argv.slice(2);
const { client } = engineClients(databaseEndpoint);
const { readers, sqs } = composeReaders({ client, tables: DATABASE_TABLES }, awsEndpoint, {
  claimMs: Number(claimMs),
});

process.once('disconnect', () => process.exit(0));

/** Returns the record of a message, as Lambda passes it on. */
const recordOf = (queue: string, { MessageId, ReceiptHandle, Body }: Message) => ({
  messageId: MessageId,
  receiptHandle: ReceiptHandle,
  body: Body,
  eventSource: 'aws:sqs',
  eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${queue}`,
});

async function readOnce(queue: keyof typeof readers): Promise<boolean> {
  const url = QUEUE_ENVIRONMENT[QUEUES[queue].variable];
  const command = new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10 });
  const { Messages: messages = [] } = await sqs.send(command);
  if (messages.length === 0) return false;
  const event = { Records: messages.map((message) => recordOf(queue, message)) };
  const { batchItemFailures } = (await readers[queue](event as never, {} as Context)) as SQSBatchResponse;
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const done = messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
  const entries = done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  if (entries.length > 0) await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries: entries }));
  return true;
}

process.send?.('ready');
// A killed process keeps nothing by itself of what it has compiled (NODE_COMPILE_CACHE).
flushCompileCache();

const queues = Object.keys(readers) as (keyof typeof readers)[];
for (;;) {
  const results = await Promise.all(queues.map((queue) => readOnce(queue).catch(() => false)));
  if (!results.includes(true)) await sleep(50);
}
