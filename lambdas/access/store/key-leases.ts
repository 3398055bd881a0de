/** The leases of keys in DynamoDB. Each has an entry in its key's item, and takes from the same counters as single calls. */
import type { DynamoClients } from '../../platform/aws/clients.ts';
import type { Clock } from '../../platform/core/ports.ts';
import { type Item, text } from '../../platform/dynamodb/attribute-values.ts';
import { readItem } from '../../platform/dynamodb/reads.ts';
import { updateItem } from '../../platform/dynamodb/update-item.ts';
import type { KeyLeaseStore, LeasedKey } from '../core/key-leases.ts';
import type { Windows } from '../core/windows.ts';
import { leaseExpression } from './key-expressions.ts';
import { decodeKey } from './key-item.ts';
import { decodeLeases } from './lease-entries.ts';

export interface KeyLeaseOptions {
  readonly clients: DynamoClients;
  readonly table: string;
  readonly clock: Clock;
}

export function createKeyLeases({ clients, table, clock }: KeyLeaseOptions): KeyLeaseStore {
  const { client, onceClient } = clients;
  const keyOf = (keyId: string) => ({ TableName: table, Key: { key_id: text(keyId) } });
  const decode = (item: Item | undefined, windows: Windows): LeasedKey | undefined =>
    item && { state: decodeKey(item, windows), leases: decodeLeases(item) };
  return {
    async write(write) {
      const { applied, item, copies } = await updateItem(write.from === undefined ? onceClient : client, {
        ...keyOf(write.keyId),
        ...leaseExpression(write, Math.floor(clock() / 1000)),
        ReturnValues: 'ALL_NEW',
      });
      return { applied, item: decode(item, write.windows), copies };
    },
    async read(keyId, windows) {
      return decode(await readItem(client, keyOf(keyId)), windows);
    },
  };
}
