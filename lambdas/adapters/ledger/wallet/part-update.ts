/**
 * Holds, ends and confirmations of one part in one conditional update. Its condition is that of all of them one after the
 * other, the holds before the ends: so a group is written only if each would have been, in that order.
 */
import type { Hold, HoldEnd } from '../../../core/ledger/ports.ts';
import { greatest, type NanoUsd } from '../../../core/money.ts';
import { type Item, number } from '../../dynamodb/attribute-values.ts';
import {
  coverIn,
  dayOf,
  EXPOSED_AT_MOST,
  encodeHold,
  MAX_HOLDS,
  NOT_ON_PROBATION,
  spentOn,
  unlessOwing,
} from './item.ts';

/** The end of a hold whose exposure is known: an update adds or subtracts one value a figure. */
export type KnownEnd = HoldEnd & { readonly exposure: NanoUsd };

export interface PartChanges {
  readonly holds: readonly Hold[];
  readonly ends: readonly KnownEnd[];
  /** The ids of open holds whose key is known to have been charged. */
  readonly confirmed: readonly string[];
}

const sum = (values: readonly NanoUsd[]): NanoUsd => values.reduce((total, value) => total + value, 0n);

/** Collects the clauses of the update. */
class PartUpdate {
  readonly #sets: string[] = [];
  readonly #removes: string[] = [];
  readonly #conditions: string[] = [];
  readonly #names: Record<string, string> = {};
  readonly #values: Item = {};

  /** `others`: the exposure of other open holds that the holds are covered for. */
  hold(walletId: string, holds: readonly Hold[], others: NanoUsd): void {
    if (holds.length === 0) return;
    const all = {
      amount: sum(holds.map(({ amount }) => amount)),
      exposure: sum(holds.map(({ exposure }) => exposure)),
    };
    this.#conditions.push(
      'balance >= :least',
      `(size(holds) < :most OR attribute_not_exists(received))${unlessOwing(all)}`,
      EXPOSED_AT_MOST,
    );
    if (all.exposure > 0n) {
      this.#conditions.push(NOT_ON_PROBATION);
      this.#values[':zero'] = number(0);
    }
    this.#values[':least'] = number(coverIn(walletId, all, others));
    this.#values[':others'] = number(others);
    // That leaves a place for each hold.
    this.#values[':most'] = number(MAX_HOLDS - holds.length + 1);
    this.#sets.push('used = :used');
    this.#values[':used'] = number(Math.max(...holds.map(({ created }) => created)));
    for (const [place, hold] of holds.entries()) {
      this.#names[`#h${place}`] = hold.id;
      this.#values[`:h${place}`] = encodeHold(hold);
      this.#sets.push(`holds.#h${place} = :h${place}`);
      this.#conditions.push(`attribute_not_exists(holds.#h${place})`);
    }
  }

  end(ends: readonly KnownEnd[]): void {
    if (ends.length === 0) return;
    for (const [place, { id, amount, exposure }] of ends.entries()) {
      const path = `holds.#e${place}`;
      this.#names[`#e${place}`] = id;
      this.#values[`:e${place}`] = number(amount);
      this.#removes.push(path);
      this.#conditions.push(`${path}.amount = :e${place}`);
      if (exposure === 0n) this.#conditions.push(`attribute_not_exists(${path}.exposure)`);
      else {
        this.#values[`:x${place}`] = number(exposure);
        this.#conditions.push(`${path}.exposure = :x${place}`);
      }
    }
    this.#add('spent', sum(ends.map(({ cost }) => cost)));
    this.#add('probation', sum(ends.map(({ probation = 0n }) => probation)));
    this.#add('shortfalls', BigInt(ends.filter(({ fellShort = false }) => fellShort).length));
    for (const [day, ended] of Map.groupBy(ends, ({ recorded }) => dayOf(recorded)))
      this.#add(spentOn(day), sum(ended.map(({ cost }) => cost)));
  }

  confirm(ids: readonly string[]): void {
    for (const [place, id] of ids.entries()) {
      this.#names[`#c${place}`] = id;
      this.#values[':true'] = { BOOL: true };
      this.#sets.push(`holds.#c${place}.charged = :true`);
      this.#conditions.push(`attribute_exists(holds.#c${place})`);
    }
  }

  /** What the holds take and the ends return. */
  total({ holds, ends }: PartChanges): void {
    const taken = sum(holds.map(({ amount }) => amount));
    const returned = sum(ends.map(({ amount, cost }) => amount - cost));
    if (taken !== returned) {
      this.#sets.push('balance = balance + :change');
      this.#values[':change'] = number(returned - taken);
    }
    this.#add(
      'exposure',
      sum(holds.map(({ exposure }) => exposure)) - sum(ends.map(({ exposure }) => exposure)),
    );
  }

  /** A figure that not every part has. */
  #add(attribute: string, by: NanoUsd): void {
    if (by === 0n) return;
    this.#sets.push(`${attribute} = if_not_exists(${attribute}, :zero) + :${attribute}`);
    this.#values[':zero'] = number(0);
    this.#values[`:${attribute}`] = number(by);
  }

  build() {
    const set = this.#sets.length === 0 ? [] : [`SET ${this.#sets.join(', ')}`];
    const remove = this.#removes.length === 0 ? [] : [`REMOVE ${this.#removes.join(', ')}`];
    return {
      UpdateExpression: [...set, ...remove].join(' '),
      ConditionExpression: this.#conditions.join(' AND '),
      ExpressionAttributeNames: this.#names,
      // DynamoDB refuses an empty set of values.
      ...(Object.keys(this.#values).length === 0 ? {} : { ExpressionAttributeValues: this.#values }),
    };
  }
}

/** `others`: the exposure of other open holds that the holds are covered for. */
export function updateOfPart(walletId: string, changes: PartChanges, others: NanoUsd) {
  const update = new PartUpdate();
  update.hold(walletId, changes.holds, others);
  update.end(changes.ends);
  update.confirm(changes.confirmed);
  update.total(changes);
  return update.build();
}

/** The largest exposure of several holds. */
export const mostExposed = (holds: readonly Hold[]): NanoUsd =>
  holds.map(({ exposure }) => exposure).reduce(greatest, 0n);
