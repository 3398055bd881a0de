/** The records of leased calls in DynamoDB, written in batches. */
import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { LateSignatureError, signBefore } from '../../platform/dynamodb/signing-limit.ts';
import { FenceError, type RecordStore } from '../core/leases/ports.ts';
import { encodeRecord } from './usage-store.ts';

/** The write has no condition: only the process of the lease writes the record, always with the same content. */
export const createRecordStore = ({ client }: DynamoClients, table: string): RecordStore => ({
  async putAll(records, fenceMs) {
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
  },
});
