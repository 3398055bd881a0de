/** The changes of the usage table as its stream brings them (DynamoDB Streams API reference, StreamRecord). */
import * as z from 'zod';
import { decodeRecord } from '../../ledger/store/usage-store.ts';
import type { Item } from '../../platform/dynamodb/attribute-values.ts';
import type { SettledCall } from '../core/export-calls.ts';

const batchSchema = z.object({
  Records: z.array(
    z.object({
      /** `INSERT`, `MODIFY` or `REMOVE`. */
      eventName: z.string(),
      dynamodb: z.object({ NewImage: z.looseObject({}).optional() }),
    }),
  ),
});

export const decodeCall = (item: object) => decodeRecord(item as Item);

/**
 * Returns the new records of a batch; a later change of a record, such as the mark of a replay, is no call. `onUnreadable` is
 * called for a record that cannot be read: it must not hold up those behind it.
 */
export function settledCalls(input: unknown, onUnreadable: () => void): readonly SettledCall[] {
  return batchSchema.parse(input).Records.flatMap(({ eventName, dynamodb: { NewImage: item } }) => {
    if (eventName !== 'INSERT' || item === undefined) return [];
    try {
      const { id, accountId } = decodeCall(item);
      return [{ id, accountId, item }];
    } catch {
      onUnreadable();
      return [];
    }
  });
}
