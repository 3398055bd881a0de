/** The conditional updates of a key's item, as expressions. */

import type { NanoUsd } from '../../../platform/core/money.ts';
import { SKEW_SECONDS } from '../../../platform/core/ports.ts';
import { type Item, number, readInteger, text } from '../../../platform/dynamodb/attribute-values.ts';
import type { VerifiedKey } from '../../core/keys/api-key.ts';
import type { KeyChange } from '../../core/keys/api-keys.ts';
import { CAPS, type CapsLeft } from '../../core/keys/caps.ts';
import type { KeyLeaseWrite } from '../../core/keys/key-leases.ts';
import type { CallScope, KeyCharge, KeyState } from '../../core/keys/key-state.ts';
import type { ChargeEnd } from '../../core/keys/key-store.ts';
import { type Windows, windowsAt } from '../../core/keys/windows.ts';
import {
  COUNTERS,
  type Counter,
  counterOf,
  encodePolicy,
  nameOf,
  OPTIONAL_ATTRIBUTES,
  REQUESTS,
  TOKENS,
} from './key-item.ts';
import { leaseText } from './lease-entries.ts';

/** The fields of an update's input that define the update and its condition. */
interface Expression {
  readonly UpdateExpression: string;
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Item;
}

/** Collects the clauses of one expression (DynamoDB developer guide, update and condition expressions). */
class Clauses {
  readonly sets: string[] = [];
  readonly conditions: string[] = [];
  readonly names: Record<string, string> = {};
  readonly values: Item = {};

  build(removal = ''): Expression {
    const set = this.sets.length === 0 ? '' : `SET ${this.sets.join(', ')}`;
    return {
      UpdateExpression: `${set}${removal}`.trim(),
      ConditionExpression: this.conditions.join(' AND '),
      // DynamoDB rejects an empty set of names or values.
      ...(Object.keys(this.names).length === 0 ? {} : { ExpressionAttributeNames: this.names }),
      ...(Object.keys(this.values).length === 0 ? {} : { ExpressionAttributeValues: this.values }),
    };
  }
}

/**
 * Takes a call from its key's windows, in the first call of a window as in any other. While a rotation's overlap lasts,
 * the key has two hashes, and the call may have sent the secret of either.
 */
export function chargeExpression(charge: KeyCharge, nowSeconds: number): Expression {
  const { windows, tokens, amount, scope } = charge;
  const clauses = new Clauses();
  requireActive(clauses, charge.key, nowSeconds);
  for (const [counter, by] of byCounter(1, tokens, amount)) subtract(clauses, counter, windows, by);
  if (amount > 0n) clauses.sets.push('used = :now');
  if (scope !== undefined) limitScope(clauses, scope);
  return clauses.build(` REMOVE ${passedNames(windows)}`);
}

/** The change of each counter. An amount counts in every cap. */
const byCounter = (requests: number, tokens: number, amount: NanoUsd) =>
  [
    [REQUESTS, BigInt(requests)],
    [TOKENS, BigInt(tokens)],
    ...CAPS.map((cap) => [counterOf(cap), amount] as const),
  ] as const;

/** The counters of the windows before the last ones, in which no process's clock is any more. */
const passedNames = (windows: Windows): string =>
  COUNTERS.map(({ letter, window }) => `${letter}${windows[window] - 2}`).join(', ');

/** The key is active, of that account, and has that secret. */
function requireActive(clauses: Clauses, { accountId, secretHash }: VerifiedKey, nowSeconds: number): void {
  clauses.conditions.push(
    '#status = :active AND (secret_hash = :hash OR (previous_hash = :hash AND previous_until > :now))',
    // The text of a key contains its account: anyone with the pepper could write another account into their own key.
    'account_id = :account',
  );
  clauses.values[':account'] = text(accountId);
  clauses.values[':now'] = number(nowSeconds);
  clauses.names['#status'] = 'status';
  clauses.values[':active'] = text('active');
  clauses.values[':hash'] = text(secretHash);
}

/** An overrun leaves less than nothing; what takes nothing from a window may pass all the same. */
function subtract(clauses: Clauses, counter: Counter, windows: Windows, amount: bigint): void {
  if (amount === 0n) return;
  const [name, value] = [nameOf(counter, windows), `:${counter.letter}`];
  add(clauses, counter, windows, -amount);
  clauses.conditions.push(
    `(${name} >= ${value} OR (attribute_not_exists(${name}) AND ${counter.full} >= ${value}))`,
  );
}

/** Adds to what is left, whether or not the window has its attribute yet. */
function add(clauses: Clauses, counter: Counter, windows: Windows, by: bigint): void {
  const [name, value] = [nameOf(counter, windows), `:${counter.letter}`];
  clauses.sets.push(`${name} = if_not_exists(${name}, ${counter.full}) ${by < 0n ? '-' : '+'} ${value}`);
  clauses.values[value] = number(by < 0n ? -by : by);
}

/** The policy's lists are sets in the item; an absent set allows everything. Short names: an expression has 4 KB. */
function limitScope(clauses: Clauses, { kind, models }: CallScope): void {
  clauses.values[':kind'] = text(kind);
  clauses.conditions.push('(attribute_not_exists(allowed_kinds) OR contains(allowed_kinds, :kind))');
  clauses.names['#a'] = 'allowed_models';
  let count = 0;
  for (const names of models) {
    const alternatives = names.map((name) => {
      const placeholder = `:m${count}`;
      count += 1;
      clauses.values[placeholder] = text(name);
      return `contains(#a,${placeholder})`;
    });
    clauses.conditions.push(`(attribute_not_exists(#a) OR ${alternatives.join(' OR ')})`);
  }
}

/**
 * Credits those of a call's windows that are still current, if the caps have not been repaired since. Never creates a
 * missing counter: it would exceed the full value. Returns undefined if there is nothing to change.
 */
export function settleExpression(
  { windows, repaired, unused }: ChargeEnd,
  current: Windows,
): Expression | undefined {
  const clauses = new Clauses();
  const { requests, tokens, amount } = unused;
  for (const [counter, by] of byCounter(requests, tokens, amount)) {
    if (by === 0n || windows[counter.window] !== current[counter.window]) continue;
    add(clauses, counter, windows, by);
    if (by > 0n) clauses.conditions.push(`attribute_exists(${nameOf(counter, windows)})`);
  }
  if (clauses.sets.length === 0) return undefined;
  clauses.conditions.push(repaired === undefined ? 'attribute_not_exists(repaired)' : 'repaired = :repaired');
  if (repaired !== undefined) clauses.values[':repaired'] = number(repaired);
  return clauses.build();
}

/**
 * Changes a lease of a key. If the write asks for something, the key must be active, and every counter that is lowered must
 * have it. A write that only settles and returns applies to a revoked key too, and to a counter below zero.
 */
export function leaseExpression(write: KeyLeaseWrite, nowSeconds: number): Expression {
  const { leaseId, from, to, windows, change, asks, requests, tokens } = write;
  const clauses = new Clauses();
  clauses.names['#lease'] = leaseId;
  clauses.conditions.push(
    from === undefined ? 'attribute_not_exists(leases.#lease)' : 'leases.#lease = :from',
  );
  if (from !== undefined) clauses.values[':from'] = leaseText(from);
  for (const [counter, by] of byCounter(requests, tokens, change)) {
    if (asks && by > 0n) subtract(clauses, counter, windows, by);
    else if (by !== 0n) add(clauses, counter, windows, -by);
  }
  if (asks) {
    clauses.conditions.push('#status = :active');
    clauses.names['#status'] = 'status';
    clauses.values[':active'] = text('active');
  }
  clauses.sets.push('used = :now');
  clauses.values[':now'] = number(nowSeconds);
  if (to === undefined) return clauses.build(' REMOVE leases.#lease');
  clauses.sets.push('leases.#lease = :to');
  clauses.values[':to'] = leaseText(to);
  return clauses.build(from === undefined ? ` REMOVE ${passedNames(windows)}` : '');
}

/** Takes a cost from the caps, whatever they have left. */
export function costExpression(cost: NanoUsd, windows: Windows, nowSeconds: number): Expression {
  const clauses = new Clauses();
  for (const cap of CAPS) add(clauses, counterOf(cap), windows, -cost);
  clauses.sets.push('used = :now');
  clauses.values[':now'] = number(nowSeconds);
  clauses.conditions.push('attribute_exists(key_id)');
  return clauses.build();
}

/** Sets what is left of the caps if the key is as it was read: its policy, when it was charged, and what was left. */
export function repairExpression(from: KeyState, windows: Windows, left: CapsLeft): Expression {
  const clauses = new Clauses();
  clauses.sets.push('repaired = :used');
  clauses.conditions.push('used = :used AND version = :version');
  clauses.values[':used'] = number(from.used ?? 0);
  clauses.values[':version'] = number(from.version);
  for (const cap of CAPS) {
    const counter = counterOf(cap);
    const [name, { letter, full }] = [nameOf(counter, windows), counter];
    clauses.sets.push(`${name} = :${letter}`);
    clauses.conditions.push(
      `(${name} = :was_${letter} OR (attribute_not_exists(${name}) AND ${full} = :was_${letter}))`,
    );
    clauses.values[`:${letter}`] = number(left[cap.left]);
    clauses.values[`:was_${letter}`] = number(from[cap.left]);
  }
  return clauses.build();
}

/**
 * Changes a key that still has the version it was read with, and has not been revoked since. With another policy,
 * what is left follows each cap.
 */
export function changeExpression(
  from: KeyState,
  { name, policy, disabled }: KeyChange,
  nowMs: number,
): Expression {
  const clauses = new Clauses();
  clauses.names['#status'] = 'status';
  clauses.conditions.push('version = :version AND #status <> :revoked');
  clauses.sets.push('version = :next');
  clauses.values[':version'] = number(from.version);
  clauses.values[':next'] = number(from.version + 1);
  clauses.values[':revoked'] = text('revoked');
  if (disabled !== undefined) {
    clauses.sets.push('#status = :status');
    clauses.values[':status'] = text(disabled ? 'disabled' : 'active');
  }
  if (name !== undefined) {
    clauses.sets.push('#name = :name');
    clauses.names['#name'] = 'name';
    clauses.values[':name'] = text(name);
  }
  if (policy === undefined) return clauses.build();
  const written = encodePolicy(policy);
  followCaps(clauses, { from: encodePolicy(from.policy), to: written }, nowMs);
  for (const [attribute, value] of Object.entries(written)) {
    clauses.sets.push(`${attribute} = :new_${attribute}`);
    clauses.values[`:new_${attribute}`] = value;
  }
  const removedAttributes = OPTIONAL_ATTRIBUTES.filter((attribute) => written[attribute] === undefined);
  return clauses.build(removedAttributes.length === 0 ? '' : ` REMOVE ${removedAttributes.join(', ')}`);
}

/**
 * Adds the difference of the caps to the remaining amount of each window that any process's clock may be in. A window
 * without a charge starts with the full new cap, because DynamoDB evaluates operands on the item before the update. A
 * first charge is therefore either before the change and retained, or after it and uses the new cap.
 */
function followCaps(
  clauses: Clauses,
  { from, to }: { readonly from: Item; readonly to: Item },
  nowMs: number,
): void {
  const near = [-SKEW_SECONDS, 0, SKEW_SECONDS].map((seconds) => windowsAt(nowMs + seconds * 1000));
  for (const counter of COUNTERS) {
    const by = readInteger(to, counter.full) - readInteger(from, counter.full);
    if (by === 0n) continue;
    const windows = new Map(near.map((each) => [each[counter.window], each]));
    for (const each of windows.values()) add(clauses, counter, each, by);
  }
}
