/** Reads the engine's stream of a table: the records after a place, in their order. */
import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type _Record as StreamRecord,
} from '@aws-sdk/client-dynamodb-streams';

/** A place in the stream: the shard, and the last record that was dealt with. */
export interface Checkpoint {
  readonly shardId: string;
  readonly sequenceNumber: string | undefined;
}

interface ReadBatch {
  readonly records: readonly StreamRecord[];
  readonly shardId: string;
}

/** The next records after a checkpoint; undefined when there are none yet. */
export type ReadRecords = (after: Checkpoint | undefined, limit: number) => Promise<ReadBatch | undefined>;

/** A reader of the table's stream. Throws when the table has none. */
export async function createStreamReader(
  tables: DynamoDBClient,
  streams: DynamoDBStreamsClient,
  tableName: string,
): Promise<ReadRecords> {
  const { Table: table } = await tables.send(new DescribeTableCommand({ TableName: tableName }));
  const arn = table?.LatestStreamArn;
  if (arn === undefined) throw new Error(`the table ${tableName} has no stream`);

  async function read(after: Checkpoint, limit: number): Promise<ReadBatch | undefined> {
    const { sequenceNumber, shardId } = after;
    const { ShardIterator: iterator } = await streams.send(
      new GetShardIteratorCommand({
        StreamArn: arn,
        ShardId: shardId,
        ShardIteratorType: sequenceNumber === undefined ? 'TRIM_HORIZON' : 'AFTER_SEQUENCE_NUMBER',
        SequenceNumber: sequenceNumber,
      }),
    );
    const { Records: records = [] } = await streams.send(
      new GetRecordsCommand({ ShardIterator: iterator, Limit: limit }),
    );
    return records.length === 0 ? undefined : { records, shardId };
  }

  return async (after, limit) => {
    if (after !== undefined) {
      const records = await read(after, limit);
      if (records !== undefined) return records;
    }
    // The shard may have been followed by another, or there was none to begin with.
    const { StreamDescription: stream } = await streams.send(new DescribeStreamCommand({ StreamArn: arn }));
    const shards = (stream?.Shards ?? []).flatMap(({ ShardId: id }) => id ?? []);
    for (const shardId of shards.slice(after === undefined ? 0 : shards.indexOf(after.shardId) + 1)) {
      const records = await read({ shardId, sequenceNumber: undefined }, limit);
      if (records !== undefined) return records;
    }
    return undefined;
  };
}
