/**
 * The capacity of items and partitions by the second, as DynamoDB limits it. Stricter than DynamoDB: nothing that a second
 * leaves unused is saved for later ones.
 */

export type Direction = 'read' | 'write';

export interface CapacityLimits {
  /** Units a second of one item. */
  readonly item: Readonly<Record<Direction, number>>;
  /** Units a second of one partition. */
  readonly partition: Readonly<Record<Direction, number>>;
  /** Partitions of a table, by its name; the items are spread over them by the hash of their partition key. */
  readonly partitions: (table: string) => number;
}

const SECOND_LIMITS = { read: 3_000, write: 1_000 } as const;

/** The limits of DynamoDB; a new table on demand has four partitions. */
export const DYNAMODB_LIMITS: CapacityLimits = {
  item: SECOND_LIMITS,
  partition: SECOND_LIMITS,
  partitions: () => 4,
};

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

/** The maximum units that one second has used of an item or a partition. */
export interface Hottest {
  readonly name: string;
  readonly unitsASecond: number;
}

interface Window {
  second: number;
  used: number;
  max: number;
}

export class Capacity {
  readonly #limits: CapacityLimits;
  readonly #items = new Map<string, Window>();
  readonly #partitions = new Map<string, Window>();

  constructor(limits: CapacityLimits) {
    this.#limits = limits;
  }

  /** Takes all demands, or none when one of them exceeds its item's or its partition's capacity: returns that one. */
  take(demands: readonly Demand[], nowMs: number): Demand | undefined {
    const second = Math.floor(nowMs / 1000);
    const windows = demands.map((demand) => this.#windowsOf(demand, second));
    const throttledDemand = demands.find(({ units, direction }, at) =>
      (windows[at] ?? []).some(([window, kind]) => window.used + units > this.#limits[kind][direction]),
    );
    if (throttledDemand === undefined)
      for (const [at, demand] of demands.entries()) use(windows[at], demand.units);
    return throttledDemand;
  }

  /** Takes what a request has cost beyond what was taken for it; a later request pays when it is too much. */
  correct(demand: Demand, nowMs: number): void {
    if (demand.units !== 0) use(this.#windowsOf(demand, Math.floor(nowMs / 1000)), demand.units);
  }

  /** The hottest item of a table, or its hottest partition; undefined when none was used. */
  hottest(kind: 'item' | 'partition', table: string, direction: Direction): Hottest | undefined {
    const start = `${direction} ${table} `;
    let hottest: Hottest | undefined;
    for (const [name, { max }] of kind === 'item' ? this.#items : this.#partitions) {
      if (name.startsWith(start) && max > (hottest?.unitsASecond ?? 0))
        hottest = { name: name.slice(start.length), unitsASecond: max };
    }
    return hottest;
  }

  /** Tables that were used. */
  tables(): readonly string[] {
    return [...new Set([...this.#partitions.keys()].map((name) => name.split(' ')[1] ?? ''))].sort();
  }

  #windowsOf({ table, partitionKey, item, direction }: Demand, second: number) {
    const partition = partitionOf(partitionKey, this.#limits.partitions(table));
    const prefix = `${direction} ${table} `;
    const windows = [[this.#window(this.#partitions, `${prefix}${partition}`, second), 'partition']] as [
      Window,
      'item' | 'partition',
    ][];
    if (item !== undefined) windows.push([this.#window(this.#items, `${prefix}${item}`, second), 'item']);
    return windows;
  }

  #window(windows: Map<string, Window>, name: string, second: number): Window {
    let window = windows.get(name);
    if (window === undefined) {
      window = { second, used: 0, max: 0 };
      windows.set(name, window);
    }
    if (second > window.second) Object.assign(window, { second, used: 0 });
    return window;
  }
}

function use(windows: readonly (readonly [Window, string])[] | undefined, units: number): void {
  for (const [window] of windows ?? []) {
    window.used += units;
    window.max = Math.max(window.max, window.used);
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
