/** Circuits in DynamoDB, one item each. An item expires an hour after its last write. */
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../platform/core/ports.ts';
import { type Item, number, readText, text } from '../../platform/dynamodb/attribute-values.ts';
import { readMany } from '../../platform/dynamodb/reads.ts';
import { updateItem } from '../../platform/dynamodb/update-item.ts';
import type { CircuitList, CircuitStore } from '../core/circuit/cached-circuits.ts';
import { type Circuit, type CircuitChange, MAX_MEMBERS } from '../core/circuit/circuit.ts';

/** Far beyond every time in a circuit. */
const TTL_SECONDS = 3_600;

/** Keys of one BatchGetItem. */
const MAX_KEYS = 100;

/** Keys of the counters by route in the same table contain this sign. */
const OTHER = '#';

export class DynamoCircuitStore implements CircuitStore, CircuitList {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #clock: Clock;

  constructor(client: DynamoDBClient, table: string, clock: Clock) {
    this.#client = client;
    this.#table = table;
    this.#clock = clock;
  }

  async read(keys: readonly string[]): Promise<ReadonlyMap<string, Circuit>> {
    const itemKeys = keys.slice(0, MAX_KEYS).map((key) => ({ route_id: text(key) }));
    return new Map((await readMany(this.#client, this.#table, itemKeys, false)).map(decode));
  }

  async write(key: string, change: CircuitChange): Promise<Circuit> {
    const input = { TableName: this.#table, Key: { route_id: text(key) }, ReturnValues: 'ALL_NEW' } as const;
    const expires = Math.ceil(this.#clock() / 1000) + TTL_SECONDS;
    const expressions = expressionsOf({ ...change, set: { ...change.set, expires } });
    const { item } = await updateItem(this.#client, { ...input, ...expressions }, 0);
    return item === undefined ? {} : decode(item)[1];
  }

  /** Reads the whole table. */
  async list(): Promise<ReadonlyMap<string, Circuit>> {
    const circuits = new Map<string, Circuit>();
    for await (const { Items = [] } of paginateScan({ client: this.#client }, { TableName: this.#table }))
      for (const item of Items.filter(({ route_id: key }) => !key?.S?.includes(OTHER)))
        circuits.set(...decode(item));
    return circuits;
  }
}

function decode(item: Item): [key: string, Circuit] {
  const { route_id: key, expires, ...rest } = item;
  const values = Object.entries(rest).map(([name, { N, S, SS }]) => [
    name,
    SS ? new Set(SS) : (S ?? Number(N)),
  ]);
  return [readText(item, 'route_id'), Object.fromEntries(values)];
}

/**
 * Builds the expressions of a change. Every name and value has a placeholder, because bucket names are generated and
 * DynamoDB reserves words.
 */
function expressionsOf({ when, set = {}, add = {}, remove = [] }: CircuitChange) {
  const { absent = [], equal = {}, atMost = {}, notFull = [] } = when;
  const names: Record<string, string> = {};
  const values: Item = {};
  const name = (of: string): string => {
    names[`#${of}`] = of;
    return `#${of}`;
  };
  const value = (of: number | string | readonly string[]): string => {
    const placeholder = `:v${Object.keys(values).length}`;
    values[placeholder] =
      typeof of === 'object' ? { SS: [...of] } : typeof of === 'string' ? text(of) : number(of);
    return placeholder;
  };
  const unless = (of: string, test: string) => `(attribute_not_exists(${name(of)}) OR ${test})`;
  const conditions = [
    ...[absent].flat().map((of) => `attribute_not_exists(${name(of)})`),
    ...Object.entries(equal).map(([of, to]) => `${name(of)} = ${value(to)}`),
    ...Object.entries(atMost).map(([of, to]) => unless(of, `${name(of)} <= ${value(to)}`)),
    ...notFull.map((of) => unless(of, `size(${name(of)}) < ${value(MAX_MEMBERS)}`)),
  ];
  const sets = Object.entries(set).map(([of, to]) => `${name(of)} = ${value(to)}`);
  const adds = Object.entries(add).map(
    ([of, to]) => `${name(of)} ${value(typeof to === 'string' ? [to] : to)}`,
  );
  const clauses = Object.entries({ SET: sets, ADD: adds, REMOVE: remove.map(name) });
  return {
    ConditionExpression: conditions.join(' AND '),
    UpdateExpression: clauses
      .filter(([, actions]) => actions.length > 0)
      .map(([clause, actions]) => `${clause} ${actions.join(', ')}`)
      .join(' '),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  };
}
