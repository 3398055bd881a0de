/** The number of messages in the queues that no function reads. */
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { requireVariable } from '../contract/environment.ts';
import { HAS_MARKET } from '../contract/features.ts';
import { COUNTED_QUEUES, type CountedQueue, QUEUES } from '../contract/queues.ts';
import type { DeadLetters } from '../core/api/dead-letters.ts';

/** Requests the counts from SQS. Throws an error that names a variable that is not set. */
export function createDeadLetterCounts(
  client: SQSClient,
  environment: Readonly<Record<string, string | undefined>>,
): () => Promise<readonly DeadLetters[]> {
  const urls = COUNTED_QUEUES.filter((name) => HAS_MARKET || !('setting' in QUEUES[name])).map((name) => ({
    name,
    url: requireVariable(environment, QUEUES[name].variable),
  }));
  return () => Promise.all(urls.map(({ name, url }) => count(client, name, url)));
}

async function count(client: SQSClient, name: CountedQueue, url: string): Promise<DeadLetters> {
  const { Attributes: attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['ApproximateNumberOfMessages'] }),
  );
  const messages = Number(attributes?.ApproximateNumberOfMessages);
  if (!Number.isSafeInteger(messages)) throw new Error(`SQS does not say how long the queue ${name} is`);
  return { queue: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), messages };
}
