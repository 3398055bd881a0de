/**
 * Holds, ends and confirmations of one part in one conditional update. Its condition is that of all of them one after the
 * other, the holds before the ends: so a group is written only if each would have been, in that order.
 */
import type { Hold, HoldEnd } from '../../../core/ledger/ports.ts';
import type { NanoUsd } from '../../../core/money.ts';
import { type Item, number } from '../../dynamodb/attribute-values.ts';
import { dayOf, encodeHold, MAX_HOLDS, spentOn, unlessOwing } from './item.ts';

export interface PartChanges {
  readonly holds: readonly Hold[];
  readonly ends: readonly HoldEnd[];
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

  hold(holds: readonly Hold[]): void {
    if (holds.length === 0) return;
    const amount = sum(holds.map(({ amount }) => amount));
    this.#conditions.push('balance >= :least', `size(holds) < :most${unlessOwing({ amount })}`);
    this.#values[':least'] = number(amount);
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

  end(ends: readonly HoldEnd[]): void {
    if (ends.length === 0) return;
    for (const [place, { id, amount }] of ends.entries()) {
      const path = `holds.#e${place}`;
      this.#names[`#e${place}`] = id;
      this.#values[`:e${place}`] = number(amount);
      this.#removes.push(path);
      this.#conditions.push(`${path}.amount = :e${place}`);
    }
    this.#add('spent', sum(ends.map(({ cost }) => cost)));
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
    if (taken === returned) return;
    this.#sets.push('balance = balance + :change');
    this.#values[':change'] = number(returned - taken);
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

export function updateOfPart(changes: PartChanges) {
  const update = new PartUpdate();
  update.hold(changes.holds);
  update.end(changes.ends);
  update.confirm(changes.confirmed);
  update.total(changes);
  return update.build();
}
