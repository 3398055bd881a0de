/**
 * Charges of the same key that arrive together, and what ended calls give back to it at the time, in one write. What is
 * given back is sent at most once. When the write is refused, each goes alone, so that a refusal is of those calls alone
 * that it concerns.
 */
import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { isStale, type KeyCharge, type KeyState } from '../../core/access/key-state.ts';
import { laterOf, type Windows, windowsAt } from '../../core/access/windows.ts';
import type { ChargeEnd, ChargeResult } from '../../core/ledger/ports.ts';
import type { Clock } from '../../core/ports.ts';
import type { DynamoClients } from '../aws/clients.ts';
import { text } from '../dynamodb/attribute-values.ts';
import { type GroupResult, ItemGroups } from '../dynamodb/item-groups.ts';
import { updateItem, type WriteResult } from '../dynamodb/update-item.ts';
import { groupExpression, type KeyChanges, nameOf, namesIn, type Refund } from './key-group-expression.ts';
import { decodeKey } from './key-item.ts';

/** Calls of one write: their conditions add up, and when one fails, each is sent alone. */
const MAX_CALLS = 128;

/** Names of models in one condition; each takes 56 bytes at most of an expression's 4 KB (service quotas). */
const MAX_NAMES = 48;

/** Windows that have ended, and the same begun afresh. */
export interface Rolled {
  readonly from: KeyState;
  readonly to: KeyState;
}

interface Charging {
  readonly charge: KeyCharge;
  rolled: Rolled | undefined;
}

interface Giving {
  readonly refund: Refund;
  readonly end: ChargeEnd;
}

type KeyOperation = Charging | Giving;

export interface KeyGroupsOptions {
  readonly clients: DynamoClients;
  readonly table: string;
  readonly clock: Clock;
  /** One charge by requests of its own. */
  readonly charge: (charge: KeyCharge, rolled: Rolled | undefined) => Promise<ChargeResult>;
  /** Gives back what one call did not use, at most once. */
  readonly give: (keyId: string, end: ChargeEnd) => Promise<void>;
}

/** The answer to what is given back. */
const RETURNED: ChargeResult = { granted: false, state: undefined };

export class KeyGroups {
  readonly #options: KeyGroupsOptions;
  readonly #groups: ItemGroups<KeyOperation, ChargeResult>;

  constructor(options: KeyGroupsOptions) {
    this.#options = options;
    this.#groups = new ItemGroups({
      choose: (waiting) => this.#choose(waiting),
      alone: (keyId, operation) => this.#alone(keyId, operation),
      together: (keyId, operations) => this.#together(keyId, operations),
    });
  }

  /** As `KeyStore.charge`. */
  charge(charge: KeyCharge, rolled: Rolled | undefined): Promise<ChargeResult> {
    return this.#groups.submit(charge.key.keyId, { charge, rolled });
  }

  /** Gives back what a call took and did not use; `end` is the whole of it. */
  async give(keyId: string, refund: Refund, end: ChargeEnd): Promise<void> {
    if (refund.tokens > 0n || refund.amount > 0n) await this.#groups.submit(keyId, { refund, end });
  }

  async #alone(keyId: string, operation: KeyOperation): Promise<ChargeResult> {
    const { charge, give } = this.#options;
    if ('charge' in operation) return charge(operation.charge, operation.rolled);
    await give(keyId, operation.end);
    return RETURNED;
  }

  /** Charges of one secret and the same windows, with what is given back to windows that are not later. */
  #choose(waiting: readonly KeyOperation[]): readonly KeyOperation[] {
    const [first] = waiting;
    if (first !== undefined && 'charge' in first && first.rolled !== undefined) {
      // One begins the windows; those that wait for it find them begun.
      for (const other of waiting) if ('charge' in other && other !== first) other.rolled = undefined;
      return [first];
    }
    const model = waiting.find((each) => 'charge' in each)?.charge;
    const windows = model?.windows ?? this.#running(waiting);
    const charges: KeyCharge[] = [];
    const chosen: KeyOperation[] = [];
    for (const each of waiting) {
      if (chosen.length === MAX_CALLS) break;
      if ('refund' in each) {
        if (isNoLater(each.refund.windows, windows)) chosen.push(each);
      } else if (
        (model === undefined || isLike(model, each.charge)) &&
        each.rolled === undefined &&
        namesIn([...charges, each.charge]) <= MAX_NAMES
      ) {
        charges.push(each.charge);
        chosen.push(each);
      }
    }
    // What fits in no group goes alone.
    return chosen.length === 0 ? waiting.slice(0, 1) : chosen;
  }

  #running(operations: readonly KeyOperation[]): Windows {
    const refunds = operations.flatMap((each) => ('refund' in each ? [each.refund.windows] : []));
    return refunds.reduce(laterOf, windowsAt(this.#options.clock()));
  }

  async #together(
    keyId: string,
    operations: readonly KeyOperation[],
  ): Promise<readonly GroupResult<ChargeResult>[]> {
    const { clients } = this.#options;
    const charges = operations.flatMap((each) => ('charge' in each ? [each.charge] : []));
    const refunds = operations.flatMap((each) => ('refund' in each ? [each.refund] : []));
    const windows = charges[0]?.windows ?? this.#running(operations);
    try {
      const written = await this.#write(clients.onceClient, keyId, { charges, refunds, windows });
      return operations.map((each) => resultOf(each, written, windows));
    } catch (failure) {
      // Certainly not done: each goes alone.
      if (isRefused(failure)) return [];
      // What may have been given back is not given again.
      const repeated = await this.#chargeAgain(keyId, { charges, refunds: [], windows });
      return operations.map((each) => ('refund' in each ? { failure } : repeated));
    }
  }

  /** Charges whose answer was lost: where they are the key's newest, they have been made. */
  async #chargeAgain(keyId: string, changes: KeyChanges): Promise<GroupResult<ChargeResult>> {
    const name = nameOf(changes.charges);
    if (name === undefined) return undefined;
    const written = await this.#write(this.#options.clients.client, keyId, changes).catch(() => undefined);
    if (written?.item === undefined) return undefined;
    const { applied, item } = written;
    const granted = applied || item.last_charge?.S === name;
    return granted ? { answer: { granted, state: decodeKey(item) } } : undefined;
  }

  async #write(by: DynamoClients['client'], keyId: string, changes: KeyChanges): Promise<WriteResult> {
    const { table, clock } = this.#options;
    const expression = groupExpression(changes, Math.floor(clock() / 1000));
    // Nothing is left to do where every window has ended.
    if (expression === undefined) return { applied: true, item: undefined };
    return updateItem(by, {
      TableName: table,
      Key: { key_id: text(keyId) },
      ...expression,
      ReturnValues: 'ALL_NEW',
    });
  }
}

function resultOf(
  operation: KeyOperation,
  { applied, item }: WriteResult,
  windows: Windows,
): GroupResult<ChargeResult> {
  if ('refund' in operation) return applied ? { answer: RETURNED } : undefined;
  if (item === undefined) return { answer: { granted: false, state: undefined } };
  const state = decodeKey(item);
  if (applied) return { answer: { granted: true, state } };
  // Windows that have ended refuse every charge.
  return isStale(state, windows) ? { answer: { granted: false, state } } : undefined;
}

const isNoLater = (a: Windows, b: Windows): boolean =>
  a.minute <= b.minute && a.day <= b.day && a.month <= b.month;

const isLike = (a: KeyCharge, b: KeyCharge): boolean =>
  a.key.secretHash === b.key.secretHash &&
  a.key.accountId === b.key.accountId &&
  a.windows.minute === b.windows.minute &&
  a.windows.day === b.windows.day &&
  a.windows.month === b.windows.month;

const isRefused = (failure: unknown): boolean =>
  failure instanceof DynamoDBServiceException && (failure.$metadata.httpStatusCode ?? 500) < 500;
