/** Unconditional writes of many items of a table. */
import { BatchWriteItemCommand, type DynamoDBClient, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { sendBatches } from './reads.ts';

/** The most writes of one request (BatchWriteItem), which may not have two of one key. */
const MAX_WRITES = 25;

/**
 * Writes in requests of the largest size, one at a time: more than a new table takes would be throttled. Returns the number
 * of writes. Throws 503 when the table stays throttled.
 */
export async function writeBatches(
  client: DynamoDBClient,
  table: string,
  writes: Iterable<WriteRequest> | AsyncIterable<WriteRequest>,
): Promise<number> {
  let count = 0;
  let waiting: WriteRequest[] = [];
  const flush = async () => {
    count += waiting.length;
    await sendBatches(waiting, async (batch) => {
      const command = new BatchWriteItemCommand({ RequestItems: { [table]: batch } });
      return (await client.send(command)).UnprocessedItems?.[table];
    });
    waiting = [];
  };
  for await (const write of writes) {
    waiting.push(write);
    if (waiting.length === MAX_WRITES) await flush();
  }
  await flush();
  return count;
}
