/** Tables in memory. An item is never changed in place, so that a reader keeps what it has read. */
import type { Item } from '../../../../../lambdas/platform/dynamodb/attribute-values.ts';
import { type KeyNames, textOf } from '../requests.ts';
import { compareStrings } from './values.ts';

export interface TableSchema extends KeyNames {
  /** Indexes of keys only. */
  readonly indexes?: readonly (KeyNames & { readonly name: string })[];
}

interface Collection {
  readonly items: Map<string, Item>;
  /** The sort keys in order; undefined when one has come or gone since. */
  sorted: readonly string[] | undefined;
}

export class VirtualTable {
  readonly schema: TableSchema;
  readonly #collections = new Map<string, Collection>();

  constructor(schema: TableSchema) {
    this.schema = schema;
  }

  /** The attributes of an item's key. */
  keyOf(item: Item): Item {
    const { partitionKey, sortKey } = this.schema;
    return pick(item, sortKey === undefined ? [partitionKey] : [partitionKey, sortKey]);
  }

  get(key: Item): Item | undefined {
    return this.#collections.get(this.#partition(key))?.items.get(this.#sort(key));
  }

  /** Stores the item under the key; undefined deletes what is there. */
  set(key: Item, item: Item | undefined): void {
    const partition = this.#partition(key);
    const collection = this.#collections.get(partition) ?? { items: new Map(), sorted: undefined };
    const sort = this.#sort(key);
    if (collection.items.has(sort) !== (item !== undefined)) collection.sorted = undefined;
    if (item === undefined) collection.items.delete(sort);
    else collection.items.set(sort, item);
    if (collection.items.size === 0) this.#collections.delete(partition);
    else this.#collections.set(partition, collection);
  }

  /** The items of a partition key, by their sort keys. */
  collection(partition: string): readonly Item[] {
    const collection = this.#collections.get(partition);
    if (collection === undefined) return [];
    collection.sorted ??= [...collection.items.keys()].sort(compareStrings);
    return collection.sorted.map((sort) => collection.items.get(sort) ?? {});
  }

  /** Every item, in an order that stays the same while no item comes or goes. */
  all(): readonly Item[] {
    return [...this.#collections.keys()].flatMap((partition) => this.collection(partition));
  }

  /** The keys of the items that an index has under a partition key, by its sort keys. */
  indexed(name: string, partition: string): readonly Item[] {
    const index = this.schema.indexes?.find((each) => each.name === name);
    if (index === undefined) throw new Error(`there is no index ${name}`);
    const { partitionKey, sortKey = '' } = index;
    const names = [partitionKey, sortKey, this.schema.partitionKey, this.schema.sortKey ?? partitionKey];
    return this.all()
      .filter((item) => item[partitionKey]?.S === partition && item[sortKey] !== undefined)
      .map((item) => pick(item, names))
      .sort((a, b) => compareStrings(textOf(a[sortKey]), textOf(b[sortKey])));
  }

  #partition(key: Item): string {
    return textOf(key[this.schema.partitionKey]);
  }

  #sort({ [this.schema.sortKey ?? '']: value }: Item): string {
    return textOf(value);
  }
}

const pick = (item: Item, names: readonly string[]): Item =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = item[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
