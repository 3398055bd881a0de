/** The records of leased calls in DynamoDB: written in batches, read by the lease. */
import { BatchWriteItemCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { type Item, text } from '../../platform/dynamodb/attribute-values.ts';
import { LateSignatureError, signBefore } from '../../platform/dynamodb/signing-limit.ts';
import { FenceError, type LeasedRecord, type RecordStore } from '../core/leases/ports.ts';
import type { UsageRecord } from '../core/usage-record.ts';
import { decodeRecord, encodeRecord } from './usage-store.ts';

export function createLeaseRecords({ client }: DynamoClients, table: string): RecordStore {
  /** The write has no condition: only the process of the lease writes the record, always with the same content. */
  async function putAll(records: readonly LeasedRecord[], fenceMs: number): Promise<readonly LeasedRecord[]> {
    const recordsById = new Map(records.map((record) => [record.id, record]));
    const input = {
      RequestItems: { [table]: records.map((record) => ({ PutRequest: { Item: encodeRecord(record) } })) },
    };
    signBefore(input, fenceMs);
    try {
      const { UnprocessedItems: unprocessed = {} } = await client.send(new BatchWriteItemCommand(input));
      return (unprocessed[table] ?? []).flatMap(({ PutRequest: put }) => {
        const record = recordsById.get(put?.Item?.request_id?.S ?? '');
        return record === undefined ? [] : [record];
      });
    } catch (failure) {
      if (failure instanceof LateSignatureError) throw new FenceError();
      throw failure;
    }
  }

  async function ofLease(lease: Parameters<RecordStore['ofLease']>[0]): Promise<readonly UsageRecord[]> {
    const { keyId, leaseId, from, to } = lease;
    const records: UsageRecord[] = [];
    let start: Item | undefined;
    do {
      const input: QueryCommandInput = {
        TableName: table,
        // No request id is equal to the end of the range, which has no random part.
        KeyConditionExpression: 'key_id = :key AND request_id BETWEEN :from AND :to',
        FilterExpression: '#lease = :lease',
        ExpressionAttributeNames: { '#lease': 'lease' },
        ExpressionAttributeValues: {
          ':key': text(keyId),
          ':from': text(from),
          ':to': text(to),
          ':lease': text(leaseId),
        },
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
        ConsistentRead: true,
      };
      const { Items: items = [], LastEvaluatedKey: last } = await client.send(new QueryCommand(input));
      records.push(...items.map(decodeRecord));
      start = last;
    } while (start !== undefined);
    return records;
  }

  return { putAll, ofLease };
}
