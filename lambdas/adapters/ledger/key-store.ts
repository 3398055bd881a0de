/** Keys in DynamoDB: one conditional update takes a call from every window at once. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { KeyCharge, KeyState } from '../../core/access/key-state.ts';
import { laterOf, windowsAt } from '../../core/access/windows.ts';
import type { ChargeEnd, ChargeResult, KeyStore } from '../../core/ledger/ports.ts';
import { optimistically } from '../../core/optimistic.ts';
import type { Clock } from '../../core/ports.ts';
import { text } from '../dynamodb/attribute-values.ts';
import { readItem } from '../dynamodb/reads.ts';
import { updateItem } from '../dynamodb/update-item.ts';
import { chargeExpression, endExpression } from './key-expressions.ts';
import { decodeKey } from './key-item.ts';

/** Each further try needs another window to roll within milliseconds. */
const MAX_SETTLE_TRIES = 4;

export interface KeyStoreOptions {
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly clock: Clock;
}

export function createKeyStore({ client, table, clock }: KeyStoreOptions): KeyStore {
  const keyOf = (keyId: string) => ({ TableName: table, Key: { key_id: text(keyId) } });

  async function charge(
    request: KeyCharge,
    rolled?: { readonly from: KeyState; readonly to: KeyState },
  ): Promise<ChargeResult> {
    const result = await updateItem(client, {
      ...keyOf(request.key.keyId),
      ...chargeExpression(request, Math.floor(clock() / 1000), rolled),
      ReturnValues: 'ALL_NEW',
    });
    if (result.item === undefined) return { granted: false, state: undefined };
    const state = decodeKey(result.item);
    // The SDK repeats a request whose answer was lost: then the charge is there already, and it is ours.
    const repeated = request.open !== undefined && state.charges.some(({ id }) => id === request.open?.id);
    return { granted: result.applied || repeated, state };
  }

  async function settle(keyId: string, end: ChargeEnd): Promise<void> {
    let { taken } = end;
    let windows = laterOf(windowsAt(clock()), end.windows);
    await optimistically(MAX_SETTLE_TRIES, 'this API key', async () => {
      const expression = endExpression({ ...end, taken }, windows);
      const { applied, item } = await updateItem(client, { ...keyOf(keyId), ...expression });
      const state = applied || item === undefined ? undefined : decodeKey(item);
      const open = state?.charges.find(({ id }) => id === end.id);
      if (state === undefined || open === undefined) return 'settled';
      // A window rolled between the clock's reading and the write, or the caller knew only the hold.
      windows = state.windows;
      taken = open;
      return undefined;
    });
  }

  async function read(keyId: string): Promise<KeyState | undefined> {
    const item = await readItem(client, keyOf(keyId));
    return item === undefined ? undefined : decodeKey(item);
  }

  return { charge, settle, read };
}
