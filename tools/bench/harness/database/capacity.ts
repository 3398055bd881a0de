/**
 * The capacity of items and partitions by the second, as DynamoDB limits it. Stricter than DynamoDB: nothing that a second
 * leaves unused is saved for later ones.
 */

export type Direction = 'read' | 'write';

type LimitedPart = 'item' | 'partition';

/** Units a second of one item and of one partition, and the partitions of each table. */
export interface CapacityLimits extends Readonly<Record<LimitedPart, Readonly<Record<Direction, number>>>> {
  /** Items are spread over them by the hash of their partition key. */
  readonly partitions: number;
}

/** DynamoDB's limits of an item and of a partition. */
export const SECOND_LIMITS = { read: 3_000, write: 1_000 } as const;

/** The capacity that a request uses of one item. */
export interface Demand {
  readonly table: string;
  /** The partition key's value. */
  readonly partitionKey: string;
  /** The partition key's value and the sort key's, if there is one; undefined when no single item is limited. */
  readonly item: string | undefined;
  readonly direction: Direction;
  readonly units: number;
}

interface Window {
  readonly part: LimitedPart;
  second: number;
  used: number;
  max: number;
}

export class Capacity {
  readonly #limits: CapacityLimits;
  readonly #windows = new Map<string, Window>();

  constructor(limits: CapacityLimits) {
    this.#limits = limits;
  }

  /** Takes all demands, or none when one of them exceeds its item's or its partition's capacity: returns that one. */
  take(demands: readonly Demand[]): Demand | undefined {
    const throttledDemand = demands.find((demand) =>
      this.#windowsOf(demand).some(
        ({ part, used }) => used + demand.units > this.#limits[part][demand.direction],
      ),
    );
    if (throttledDemand === undefined) for (const demand of demands) this.use(demand);
    return throttledDemand;
  }

  /** Takes what a request has cost, whatever is left; a later request pays when it is too much. */
  use(demand: Demand): void {
    for (const window of this.#windowsOf(demand)) {
      window.used += demand.units;
      window.max = Math.max(window.max, window.used);
    }
  }

  /** The most units that a second has used of one item of a table, or of one of its partitions. */
  hottest(part: LimitedPart, table: string, direction: Direction): number {
    const windows = [...this.#windows].filter(([name]) => name.startsWith(`${part} ${direction} ${table} `));
    return Math.max(0, ...windows.map(([, { max }]) => max));
  }

  /** Tables that were used. */
  tables(): readonly string[] {
    return [...new Set([...this.#windows.keys()].map((name) => name.split(' ')[2] ?? ''))].sort();
  }

  #windowsOf({ table, partitionKey, item, direction }: Demand): Window[] {
    const partition = String(partitionOf(partitionKey, this.#limits.partitions));
    const window = (part: LimitedPart, name: string) =>
      this.#window(part, `${part} ${direction} ${table} ${name}`);
    return [window('partition', partition), ...(item === undefined ? [] : [window('item', item)])];
  }

  #window(part: LimitedPart, name: string): Window {
    const second = Math.floor(Date.now() / 1000);
    const window = this.#windows.get(name) ?? { part, second, used: 0, max: 0 };
    this.#windows.set(name, window);
    if (second > window.second) Object.assign(window, { second, used: 0 });
    return window;
  }
}

/** FNV-1a: spreads keys that differ in their last characters only. */
export function partitionOf(key: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  // The low bits of a short key are spread badly.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 12)) >>> 0) % partitions;
}
