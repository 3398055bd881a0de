/** Keys in DynamoDB: one conditional update takes a call from every window at once. */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../../platform/aws/clients.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { overloaded } from '../../../platform/core/errors.ts';
import type { Clock } from '../../../platform/core/ports.ts';
import { type Item, readNumber, text } from '../../../platform/dynamodb/attribute-values.ts';
import { readItem } from '../../../platform/dynamodb/reads.ts';
import { LateSignatureError, signBefore } from '../../../platform/dynamodb/signing-limit.ts';
import { updateItem, type WriteResult } from '../../../platform/dynamodb/update-item.ts';
import { systemClock } from '../../../platform/system/system.ts';
import type { CapsLeft } from '../../core/keys/caps.ts';
import { KeyGate } from '../../core/keys/key-gate.ts';
import type { KeyLeaseWrite, LeaseResult } from '../../core/keys/key-leases.ts';
import type { KeyCharge, KeyState } from '../../core/keys/key-state.ts';
import type { ChargeEnd, ChargeResult, KeyStore } from '../../core/keys/key-store.ts';
import { type Windows, windowsAt } from '../../core/keys/windows.ts';
import {
  chargeExpression,
  costExpression,
  leaseExpression,
  repairExpression,
  settleExpression,
} from './key-expressions.ts';
import { decodeKey, oldNames } from './key-item.ts';

/** A request is signed at most so long after the time that it contains. */
const MAX_SIGNING_MS = 60_000;

export interface KeyStoreOptions {
  readonly clients: DynamoClients;
  readonly table: string;
  readonly clock: Clock;
}

export function createKeyStore({ clients, table, clock }: KeyStoreOptions): KeyStore {
  const { client, onceClient } = clients;
  const keyOf = (keyId: string) => ({ TableName: table, Key: { key_id: text(keyId) } });
  const nowSeconds = () => Math.floor(clock() / 1000);

  /**
   * Writes an expression that contains the time. A process may stop before it signs the request, and a late write would set
   * `used` back: then a repair of the caps could miss a later charge for good (`key-rest.ts`). Throws 503 if it is too late.
   */
  async function updateNow(
    sender: DynamoDBClient,
    keyId: string,
    expressionAt: (seconds: number) => ReturnType<typeof chargeExpression>,
  ): Promise<WriteResult> {
    const limitMs = systemClock() + MAX_SIGNING_MS;
    const input = { ...keyOf(keyId), ...expressionAt(nowSeconds()), ReturnValues: 'ALL_NEW' } as const;
    signBefore(input, limitMs);
    try {
      return await updateItem(sender, input);
    } catch (failure) {
      throw failure instanceof LateSignatureError ? overloaded() : failure;
    }
  }

  async function charge(request: KeyCharge): Promise<ChargeResult> {
    const { keyId } = request.key;
    const { applied, item } = await updateNow(client, keyId, (now) => chargeExpression(request, now));
    if (item === undefined) return { granted: false, state: undefined };
    if (applied) await removeOldNames(keyId, item, request.windows);
    return { granted: applied, state: decodeKey(item, request.windows) };
  }

  /** Limits the item of a rarely used key to less than 1 KB, so that every write of it costs one unit. */
  async function removeOldNames(keyId: string, item: Item, windows: Windows): Promise<void> {
    const names = oldNames(item, windows);
    if (names.length === 0) return;
    const update = {
      UpdateExpression: `REMOVE ${names.join(', ')}`,
      ConditionExpression: 'attribute_exists(key_id)',
    };
    // The next charge compensates for a failure here.
    await updateItem(onceClient, { ...keyOf(keyId), ...update }, 0).catch(() => {});
  }

  async function settle(keyId: string, end: ChargeEnd): Promise<void> {
    const expression = settleExpression(end, windowsAt(clock()));
    if (expression === undefined) return;
    const { applied, item } = await updateItem(onceClient, { ...keyOf(keyId), ...expression });
    if (applied || item === undefined || end.cost === 0n || repairedOf(item) === end.repaired) return;
    await updateNow(client, keyId, (now) => costExpression(end.cost, windowsAt(clock()), now));
  }

  async function repair(from: KeyState, windows: Windows, capsLeft: CapsLeft): Promise<boolean> {
    const expression = repairExpression(from, windows, capsLeft);
    return (await updateItem(client, { ...keyOf(from.keyId), ...expression })).applied;
  }

  async function read(keyId: string, windows = windowsAt(clock())): Promise<KeyState | undefined> {
    const item = await readItem(client, keyOf(keyId));
    return item && decodeKey(item, windows);
  }

  async function writeLease(write: KeyLeaseWrite): Promise<LeaseResult<KeyState>> {
    const sender = write.from === undefined ? onceClient : client;
    const { applied, item, copies } = await updateNow(sender, write.keyId, (now) =>
      leaseExpression(write, now),
    );
    return { applied, item: item && decodeKey(item, write.windows), copies };
  }

  return { charge, settle, repair, read, writeLease };
}

const repairedOf = (item: Item): number | undefined =>
  item.repaired === undefined ? undefined : readNumber(item, 'repaired');

export interface KeyGateOptions {
  readonly clients: DynamoClients;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The gate of keyed requests, from the table that the environment names. */
export function createKeyGate({ clients, environment }: KeyGateOptions) {
  const table = requireTable(environment, 'keys');
  const keys = createKeyStore({ clients, table, clock: systemClock });
  return { gate: new KeyGate(keys, systemClock), keys };
}
