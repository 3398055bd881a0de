/**
 * Charges of several calls of one key, and what ended calls give back to it, in one conditional update. Its condition is
 * that of all of them one after the other, the charges first: it is written only if each would have been, in that order.
 */
import type { KeyCharge } from '../../core/access/key-state.ts';
import type { Windows } from '../../core/access/windows.ts';
import type { ChargeEnd } from '../../core/ledger/ports.ts';
import { number, text } from '../dynamodb/attribute-values.ts';
import { Clauses, type Expression } from './clauses.ts';
import { limitScope, requireActive, WINDOWS } from './key-expressions.ts';

/** What an ended call took and did not use; nothing in it is less than 0. */
export interface Refund {
  readonly windows: Windows;
  readonly tokens: bigint;
  readonly amount: bigint;
}

export interface KeyChanges {
  /** All of one secret and of the same windows, none of which has ended as far as is known. */
  readonly charges: readonly KeyCharge[];
  readonly refunds: readonly Refund[];
  /** The charges' windows; without charges those that run. */
  readonly windows: Windows;
}

const sum = <T>(of: readonly T[], value: (each: T) => bigint): bigint =>
  of.reduce((total, each) => total + value(each), 0n);

/** What an ended call took, less what it used; undefined where it used more of anything. */
export function refundOf({ windows, taken, used }: ChargeEnd): Refund | undefined {
  const [tokens, amount] = [BigInt(taken.tokens) - BigInt(used.tokens), taken.amount - used.amount];
  return tokens < 0n || amount < 0n ? undefined : { windows, tokens, amount };
}

/** The name under which the key remembers a group as its newest charge. */
export const nameOf = (charges: readonly KeyCharge[]): string | undefined =>
  charges.findLast(({ call }) => call !== undefined)?.call;

/** Undefined when there is nothing to change: the windows of all refunds have ended. */
export function groupExpression(
  { charges, refunds, windows }: KeyChanges,
  nowSeconds: number,
): Expression | undefined {
  const clauses = new Clauses();
  const [first] = charges;
  if (first !== undefined) requireActive(clauses, first.key, nowSeconds);
  const given = (window: (typeof WINDOWS)[number], value: (refund: Refund) => bigint): bigint =>
    sum(
      refunds.filter((refund) => refund.windows[window] === windows[window]),
      value,
    );
  const amount = sum(charges, (charge) => charge.amount);
  const counters = [
    {
      ...{ window: 'minute', attribute: 'requests_left', gives: 0n },
      takes: sum(charges, ({ counted }) => (counted === true ? 0n : 1n)),
    },
    {
      ...{ window: 'minute', attribute: 'tokens_left' },
      takes: sum(charges, ({ tokens }) => BigInt(tokens)),
      gives: given('minute', ({ tokens }) => tokens),
    },
    { window: 'day', attribute: 'day_left', takes: amount, gives: given('day', (refund) => refund.amount) },
    {
      window: 'month',
      attribute: 'month_left',
      takes: amount,
      gives: given('month', (refund) => refund.amount),
    },
  ] as const;
  for (const name of WINDOWS) {
    const isGiven = counters.some(({ window, gives }) => window === name && gives > 0n);
    if (first === undefined && !isGiven) continue;
    clauses.names[`#${name}`] = name;
    clauses.values[`:${name}`] = number(windows[name]);
    // A charge may be of a window that this clock does not know yet; a refund is of the one that it was taken from.
    clauses.conditions.push(`#${name} ${isGiven ? '=' : '>='} :${name}`);
  }
  for (const { attribute, takes, gives } of counters) change(clauses, attribute, takes, gives);
  mark(clauses, charges);
  limitScope(clauses, scopesOf(charges));
  return clauses.sets.length === 0 ? undefined : clauses.build();
}

function change(clauses: Clauses, attribute: string, takes: bigint, gives: bigint): void {
  if (takes > 0n) {
    clauses.conditions.push(`${attribute} >= :take_${attribute}`);
    clauses.values[`:take_${attribute}`] = number(takes);
  }
  if (takes === gives) return;
  clauses.sets.push(`${attribute} = ${attribute} + :${attribute}`);
  clauses.values[`:${attribute}`] = number(gives - takes);
}

function mark(clauses: Clauses, charges: readonly KeyCharge[]): void {
  const name = nameOf(charges);
  if (name === undefined) return;
  clauses.sets.push('last_charge = :call');
  clauses.conditions.push('(attribute_not_exists(last_charge) OR last_charge <> :call)');
  clauses.values[':call'] = text(name);
}

const scopesOf = (charges: readonly KeyCharge[]) =>
  charges.flatMap(({ scope }) => (scope === undefined ? [] : [scope]));

/** How many names of models the scopes of the charges name, each list once. */
export const namesIn = (charges: readonly KeyCharge[]): number =>
  new Map(scopesOf(charges).flatMap(({ models }) => models.map((names) => [names.join('\n'), names.length])))
    .values()
    .reduce((total, count) => total + count, 0);
