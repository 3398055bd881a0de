/** The conditional updates of a key's item, one call's each, as expressions. */

import type { VerifiedKey } from '../../core/access/api-key.ts';
import type { KeyChange } from '../../core/access/api-keys.ts';
import {
  type CallScope,
  dailyOf,
  type KeyCharge,
  type KeyState,
  monthlyOf,
  rpmOf,
  tpmOf,
} from '../../core/access/key-state.ts';
import type { Policy } from '../../core/access/policy.ts';
import type { Windows } from '../../core/access/windows.ts';
import type { ChargeEnd } from '../../core/ledger/ports.ts';
import { number, text } from '../dynamodb/attribute-values.ts';
import { Clauses, type Expression } from './clauses.ts';
import { encodePolicy, POLICY_ATTRIBUTES } from './key-item.ts';

export const WINDOWS = ['minute', 'day', 'month'] as const;

interface Counter {
  readonly window: (typeof WINDOWS)[number];
  readonly attribute: string;
  /** What the call takes. */
  readonly take: bigint;
  /** What a window that has just begun has. */
  readonly full: (state: KeyState) => bigint;
}

const counters = ({ tokens, amount, counted }: KeyCharge): readonly Counter[] => [
  {
    window: 'minute',
    attribute: 'requests_left',
    take: counted === true ? 0n : 1n,
    full: (state) => BigInt(state.requestsLeft),
  },
  { window: 'minute', attribute: 'tokens_left', take: BigInt(tokens), full: (state) => state.tokensLeft },
  { window: 'day', attribute: 'day_left', take: amount, full: (state) => state.dayLeft },
  { window: 'month', attribute: 'month_left', take: amount, full: (state) => state.monthLeft },
];

/**
 * Takes a call from its key's windows. A window that still runs (or is later than the caller's clock knows) is
 * counted down if it has enough; one that `rolled` says has ended begins afresh if nobody else has begun it since,
 * so only two calls that begin the same window are in each other's way. While a rotation's overlap lasts, the key has
 * two hashes, and the call may have sent the secret of either.
 */
export function chargeExpression(
  charge: KeyCharge,
  nowSeconds: number,
  rolled?: { readonly from: KeyState; readonly to: KeyState },
): Expression {
  const clauses = new Clauses();
  requireActive(clauses, charge.key, nowSeconds);
  const begun = new Set(
    WINDOWS.filter((name) => rolled !== undefined && rolled.to.windows[name] > rolled.from.windows[name]),
  );
  for (const name of WINDOWS) {
    clauses.names[`#${name}`] = name;
    clauses.values[`:${name}`] = number(charge.windows[name]);
    if (begun.has(name)) clauses.sets.push(`#${name} = :${name}`);
    clauses.conditions.push(begun.has(name) ? `#${name} = :was_${name}` : `#${name} >= :${name}`);
    if (begun.has(name)) clauses.values[`:was_${name}`] = number(rolled?.from.windows[name] ?? 0);
  }
  for (const counter of counters(charge))
    countDown(clauses, counter, begun.has(counter.window) ? rolled?.to : undefined);
  if (rolled !== undefined) {
    clauses.conditions.push('version = :version');
    clauses.values[':version'] = number(rolled.from.version);
  }
  mark(clauses, charge);
  limitScope(clauses, charge.scope === undefined ? [] : [charge.scope]);
  // Earlier versions remembered open calls here; the first call of a day removes what a crash has left of them.
  return clauses.build();
}

/** The key is active, of that account, and has that secret. */
export function requireActive(
  clauses: Clauses,
  { accountId, secretHash }: VerifiedKey,
  nowSeconds: number,
): void {
  clauses.conditions.push(
    '#status = :active AND (secret_hash = :hash OR (previous_hash = :hash AND previous_until > :now))',
    // The text of a key names its account: whoever had the pepper could write another's into a key of their own.
    'account_id = :account',
  );
  clauses.values[':account'] = text(accountId);
  clauses.values[':now'] = number(nowSeconds);
  clauses.names['#status'] = 'status';
  clauses.values[':active'] = text('active');
  clauses.values[':hash'] = text(secretHash);
}

function countDown(clauses: Clauses, { attribute, take, full }: Counter, begun: KeyState | undefined): void {
  const placeholder = `:${attribute}`;
  if (begun !== undefined) {
    clauses.sets.push(`${attribute} = ${placeholder}`);
    clauses.values[placeholder] = number(full(begun) - take);
    return;
  }
  // An overrun leaves less than nothing; what takes nothing from a window may pass all the same.
  if (take === 0n) return;
  clauses.sets.push(`${attribute} = ${attribute} - ${placeholder}`);
  clauses.conditions.push(`${attribute} >= ${placeholder}`);
  clauses.values[placeholder] = number(take);
}

/** Marks the call as the newest one. A repetition of the same request finds it there and changes nothing. */
function mark(clauses: Clauses, { call }: KeyCharge): void {
  if (call === undefined) return;
  clauses.sets.push('last_charge = :call');
  clauses.conditions.push('(attribute_not_exists(last_charge) OR last_charge <> :call)');
  clauses.values[':call'] = text(call);
}

/** The policy's lists are sets in the item; an absent set allows everything. Short names: an expression has 4 KB. */
export function limitScope(clauses: Clauses, scopes: readonly CallScope[]): void {
  for (const [place, kind] of [...new Set(scopes.map(({ kind }) => kind))].entries()) {
    const placeholder = place === 0 ? ':kind' : `:kind${place}`;
    clauses.values[placeholder] = text(kind);
    clauses.conditions.push(
      `(attribute_not_exists(allowed_kinds) OR contains(allowed_kinds, ${placeholder}))`,
    );
  }
  const models = new Map(scopes.flatMap((scope) => scope.models.map((names) => [names.join('\n'), names])));
  if (scopes.length > 0) clauses.names['#a'] = 'allowed_models';
  let count = 0;
  for (const names of models.values()) {
    const alternatives = names.map((name) => {
      const placeholder = `:m${count}`;
      count += 1;
      clauses.values[placeholder] = text(name);
      return `contains(#a,${placeholder})`;
    });
    clauses.conditions.push(`(attribute_not_exists(#a) OR ${alternatives.join(' OR ')})`);
  }
}

/** What is added to the windows of an ended call: less than nothing where it cost more than was taken. */
export interface Difference {
  readonly tokens: number;
  readonly amount: bigint;
}

/**
 * Adds a difference to those of a call's windows that are the current ones; the others have begun afresh without it.
 * Undefined when there is nothing to add.
 */
export function settleExpression(
  { windows, unsure }: ChargeEnd,
  current: Windows,
  { tokens, amount }: Difference,
): Expression | undefined {
  const clauses = new Clauses();
  const additions = [
    { window: 'minute', attribute: 'tokens_left', by: BigInt(tokens) },
    { window: 'day', attribute: 'day_left', by: amount },
    { window: 'month', attribute: 'month_left', by: amount },
  ] as const;
  for (const { window, attribute, by } of additions) {
    if (windows[window] !== current[window] || by === 0n) continue;
    clauses.sets.push(`${attribute} = ${attribute} + :${attribute}`);
    clauses.conditions.push(`#${window} = :${window}`);
    clauses.names[`#${window}`] = window;
    clauses.values[`:${window}`] = number(windows[window]);
    clauses.values[`:${attribute}`] = number(by);
  }
  if (clauses.sets.length === 0) return undefined;
  if (unsure === 'uncapped')
    clauses.conditions.push('attribute_not_exists(daily_cap) AND attribute_not_exists(monthly_cap)');
  else if (unsure !== undefined) {
    clauses.conditions.push('last_charge = :newest');
    clauses.values[':newest'] = text(unsure.newest);
  }
  return clauses.build();
}

/**
 * Changes a key that still has the version it was read with, and has not been revoked since. With another policy,
 * what is left follows each cap.
 */
export function changeExpression(from: KeyState, { name, policy, disabled }: KeyChange): Expression {
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
  return clauses.build(policy === undefined ? '' : replacePolicy(clauses, from.policy, policy));
}

/** Returns what is to be removed. */
function replacePolicy(clauses: Clauses, from: Policy, policy: Policy): string {
  const changes = [
    { attribute: 'requests_left', by: BigInt(rpmOf(policy) - rpmOf(from)) },
    { attribute: 'tokens_left', by: tpmOf(policy) - tpmOf(from) },
    { attribute: 'day_left', by: dailyOf(policy) - dailyOf(from) },
    { attribute: 'month_left', by: monthlyOf(policy) - monthlyOf(from) },
  ];
  for (const { attribute, by } of changes) {
    clauses.sets.push(`${attribute} = ${attribute} + :${attribute}`);
    clauses.values[`:${attribute}`] = number(by);
  }
  const written = encodePolicy(policy);
  for (const attribute of POLICY_ATTRIBUTES) clauses.names[`#${attribute}`] = attribute;
  for (const [attribute, value] of Object.entries(written)) {
    clauses.sets.push(`#${attribute} = :new_${attribute}`);
    clauses.values[`:new_${attribute}`] = value;
  }
  const gone = POLICY_ATTRIBUTES.filter((attribute) => written[attribute] === undefined);
  return gone.length === 0 ? '' : ` REMOVE ${gone.map((attribute) => `#${attribute}`).join(', ')}`;
}
