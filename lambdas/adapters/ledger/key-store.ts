/** Keys in DynamoDB: one conditional update takes a call from every window at once, or several calls that arrive together. */
import type { KeyCharge, KeyState } from '../../core/access/key-state.ts';
import { laterOf, windowsAt } from '../../core/access/windows.ts';
import type { ChargeEnd, ChargeResult, KeyStore } from '../../core/ledger/ports.ts';
import { optimistically } from '../../core/optimistic.ts';
import type { Clock } from '../../core/ports.ts';
import type { DynamoClients } from '../aws/clients.ts';
import { text } from '../dynamodb/attribute-values.ts';
import { readItem } from '../dynamodb/reads.ts';
import { updateItem } from '../dynamodb/update-item.ts';
import { chargeExpression, type Difference, settleExpression } from './key-expressions.ts';
import { refundOf } from './key-group-expression.ts';
import { KeyGroups, type Rolled } from './key-groups.ts';
import { decodeKey } from './key-item.ts';

/** Each further try needs another window to roll within milliseconds. */
const MAX_SETTLE_TRIES = 4;

export interface KeyStoreOptions {
  readonly clients: DynamoClients;
  readonly table: string;
  readonly clock: Clock;
}

export function createKeyStore({ clients, table, clock }: KeyStoreOptions): KeyStore {
  const { client, onceClient } = clients;
  const keyOf = (keyId: string) => ({ TableName: table, Key: { key_id: text(keyId) } });

  const groups = new KeyGroups({
    ...{ clients, table, clock },
    charge: chargeAlone,
    give: (keyId, end) => apply(onceClient, keyId, end, differencesOf(end).gives),
  });

  async function chargeAlone(request: KeyCharge, rolled: Rolled | undefined): Promise<ChargeResult> {
    const { applied, item } = await updateItem(client, {
      ...keyOf(request.key.keyId),
      ...chargeExpression(request, Math.floor(clock() / 1000), rolled),
      ReturnValues: 'ALL_NEW',
    });
    if (item === undefined) return { granted: false, state: undefined };
    // The SDK repeats a request whose answer was lost: then the newest charge is this one.
    const repeated = request.call !== undefined && item.last_charge?.S === request.call;
    return { granted: applied || repeated, state: decodeKey(item) };
  }

  async function settle(keyId: string, end: ChargeEnd): Promise<void> {
    const refund = end.unsure === undefined ? refundOf(end) : undefined;
    if (refund !== undefined) return groups.give(keyId, refund, end);
    const { takes, gives } = differencesOf(end);
    await Promise.all([apply(client, keyId, end, takes), apply(onceClient, keyId, end, gives)]);
  }

  /** Adds the difference to those of the end's windows that still run. */
  async function apply(
    by: DynamoClients['client'],
    keyId: string,
    end: ChargeEnd,
    difference: Difference,
  ): Promise<void> {
    let windows = laterOf(windowsAt(clock()), end.windows);
    await optimistically(MAX_SETTLE_TRIES, 'this API key', async () => {
      const expression = settleExpression(end, windows, difference);
      if (expression === undefined) return 'nothing to do';
      const { applied, item } = await updateItem(by, {
        ...keyOf(keyId),
        ...expression,
        ReturnValues: 'NONE',
      });
      if (applied || item === undefined) return 'done';
      const found = decodeKey(item).windows;
      const rolled = found.minute > windows.minute || found.day > windows.day || found.month > windows.month;
      // A window rolled between the clock's reading and the write; else the key was not charged for the call.
      if (!rolled) return 'not due';
      windows = found;
      return undefined;
    });
  }

  async function read(keyId: string): Promise<KeyState | undefined> {
    const item = await readItem(client, keyOf(keyId));
    return item === undefined ? undefined : decodeKey(item);
  }

  return { charge: (request, rolled) => groups.charge(request, rolled), settle, read };
}

/** What an ended call overran, and what it did not use. */
function differencesOf({ taken, used }: ChargeEnd): {
  readonly takes: Difference;
  readonly gives: Difference;
} {
  const change = { tokens: taken.tokens - used.tokens, amount: taken.amount - used.amount };
  return {
    takes: { tokens: Math.min(change.tokens, 0), amount: change.amount < 0n ? change.amount : 0n },
    gives: { tokens: Math.max(change.tokens, 0), amount: change.amount > 0n ? change.amount : 0n },
  };
}
