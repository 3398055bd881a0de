import {
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { TABLES } from '../../../../lambdas/platform/contract/tables.ts';
import { fileDatabase } from '../../../../lambdas/platform/testing/file-database.ts';
import { it } from '../../../test-kit/search.ts';
import { rounds } from '../../../test-kit/thorough.ts';
import { VirtualEngine } from './virtual/engine.ts';
import { VirtualTable } from './virtual/tables.ts';

/** Attributes and nested ones, as the ledger has them; some are missing in most items. */
const PATHS = [
  'balance',
  'spent',
  'owed',
  '#status',
  'holds.#a',
  'holds.#b',
  'holds.#a.amount',
  'holds.#a.#k',
];
const NAMES: Record<string, string> = {
  '#status': 'status',
  '#a': 'req_1',
  '#b': 'req_2',
  '#k': 'key',
  '#s': 'item',
};
const VALUES: Record<string, object> = {
  ':zero': { N: '0' },
  ':five': { N: '5' },
  ':big': { N: '123456789012345678901234567890' },
  ':half': { N: '0.50' },
  ':less': { N: '-7' },
  ':text': { S: 'active' },
  ':part': { S: 'act' },
  ':yes': { BOOL: true },
  ':set': { SS: ['chat', 'active'] },
  ':hold': { M: { amount: { N: '5' }, key: { S: 'key_1' }, created: { N: '010' } } },
  ':other': { M: { key: { S: 'key_1' }, created: { N: '10' }, amount: { N: '5.0' } } },
};

const path = fc.constantFrom(...PATHS);
const value = fc.constantFrom(...Object.keys(VALUES));
const number = fc.constantFrom(':zero', ':five', ':big', ':half', ':less');

const atom = fc.oneof(
  fc.tuple(path, fc.constantFrom('=', '<>', '<', '<=', '>', '>='), value).map((parts) => parts.join(' ')),
  fc
    .tuple(fc.constantFrom('attribute_exists', 'attribute_not_exists'), path)
    .map(([test, at]) => `${test}(${at})`),
  fc.tuple(path, fc.constantFrom(':text', ':part')).map(([at, part]) => `contains(${at}, ${part})`),
  fc.tuple(fc.constantFrom('<', '>=', '='), number).map(([sign, than]) => `size(holds) ${sign} ${than}`),
  path.map((at) => `${at} BETWEEN :less AND :five`),
  path.map((at) => `${at} IN (:five, :text)`),
  path.map((at) => `begins_with(${at}, :part)`),
);
/** Each within parentheses: DynamoDB refuses those that are not needed. */
const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3 },
    atom.map((one) => `(${one})`),
    fc.tuple(tie('condition'), fc.constantFrom('AND', 'OR'), atom).map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc.tuple(tie('condition'), tie('condition'), atom).map(([a, b, c]) => `(${a} OR ${c} AND ${b})`),
    tie('condition').map((inner) => `(NOT ${inner})`),
  ),
}));

const assigned = (at: string) =>
  fc.oneof(
    value,
    fc.tuple(fc.constantFrom('+', '-'), number).map(([sign, by]) => `${at} ${sign} ${by}`),
    fc
      .tuple(fc.constantFrom('+', '-'), number)
      .map(([sign, by]) => `if_not_exists(${at}, :zero) ${sign} ${by}`),
    fc.constant('if_not_exists(entries, :zero) - if_not_exists(holds.#a.created, :zero)'),
    path.map((from) => `if_not_exists(${from}, :text)`),
  );
const set = path.chain((at) => assigned(at).map((to) => ({ at, text: `${at} = ${to}` })));
/** Without two paths one of which is within the other, which DynamoDB refuses. */
const apart = <T extends { readonly at: string }>(all: readonly T[]): T[] =>
  all.filter(({ at }, index) =>
    all.slice(0, index).every((other) => !at.startsWith(other.at) && !other.at.startsWith(at)),
  );
const update = fc
  .tuple(
    fc.array(set, { maxLength: 4 }),
    fc.array(
      path.map((at) => ({ at, text: '' })),
      { maxLength: 2 },
    ),
  )
  .map(([sets, removals]) => apart([...sets, ...removals]))
  .filter((all) => all.length > 0)
  .map((all) => {
    const sets = all.filter(({ text }) => text !== '').map(({ text }) => text);
    const removals = all.filter(({ text }) => text === '').map(({ at }) => at);
    return [
      ...(sets.length === 0 ? [] : [`SET ${sets.join(', ')}`]),
      ...(removals.length === 0 ? [] : [`REMOVE ${removals.join(', ')}`]),
    ].join(' ');
  });
const added = fc.constantFrom(
  'ADD balance :five',
  'ADD spent :less SET owed = :zero',
  'ADD holds.#a.amount :half',
);
const projection = fc
  .uniqueArray(path, { minLength: 1, maxLength: 3 })
  .map((all) => apart(all.map((at) => ({ at }))));

/** The names and values that the expressions use: DynamoDB refuses others. */
function placeholders(...expressions: readonly (string | undefined)[]) {
  const used = new Set(expressions.flatMap((text) => text?.match(/[#:]\w+/g) ?? []));
  const pick = (all: object) => Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)));
  const [names, values] = [pick(NAMES), pick(VALUES)];
  return {
    ...(Object.keys(names).length === 0 ? {} : { ExpressionAttributeNames: names as Record<string, string> }),
    ...(Object.keys(values).length === 0
      ? {}
      : { ExpressionAttributeValues: values as Record<string, never> }),
  };
}

interface Operation {
  readonly name: string;
  readonly input: object;
}

const shardKey = fc.constantFrom('1', '2', '3');
const item = fc.record(
  {
    balance: fc.constantFrom({ N: '100' }, { N: '007' }, { N: '1e3' }),
    holds: fc.constantFrom({ M: {} }, { M: { req_1: { M: { amount: { N: '5' }, created: { N: '2' } } } } }),
    spent: fc.constantFrom({ N: '0' }, { S: 'active' }),
    status: fc.constantFrom({ S: 'active' }, { SS: ['active', 'x'] }, { L: [{ S: 'active' }] }),
  },
  { requiredKeys: ['balance', 'holds'] },
);
const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined, freq: 4 });
const failure = fc.constantFrom({}, { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });

/** Writes of one item, without its table and key. */
const put = fc.tuple(item, optional(condition), failure).map(([createdItem, only, shown]) => ({
  action: 'Put' as const,
  item: createdItem,
  rest: { ...(only === undefined ? {} : { ConditionExpression: only }), ...shown, ...placeholders(only) },
}));
const change = fc
  .tuple(
    fc.oneof({ arbitrary: update, weight: 6 }, { arbitrary: added, weight: 1 }),
    optional(condition),
    failure,
  )
  .map(([to, only, shown]) => ({
    action: 'Update' as const,
    item: undefined,
    rest: {
      UpdateExpression: to,
      ...(only === undefined ? {} : { ConditionExpression: only }),
      ...shown,
      ...placeholders(to, only),
    },
  }));
const removal = fc.tuple(optional(condition), failure).map(([only, shown]) => ({
  action: 'Delete' as const,
  item: undefined,
  rest: { ...(only === undefined ? {} : { ConditionExpression: only }), ...shown, ...placeholders(only) },
}));
const check = fc.tuple(condition, failure).map(([only, shown]) => ({
  action: 'ConditionCheck' as const,
  item: undefined,
  rest: { ConditionExpression: only, ...shown, ...placeholders(only) },
}));

const database = fileDatabase();
let account = 0;

const COMMANDS = {
  GetItem: GetItemCommand,
  PutItem: PutItemCommand,
  UpdateItem: UpdateItemCommand,
  DeleteItem: DeleteItemCommand,
  Query: QueryCommand,
  Scan: ScanCommand,
  BatchGetItem: BatchGetItemCommand,
  TransactGetItems: TransactGetItemsCommand,
  TransactWriteItems: TransactWriteItemsCommand,
} as const;

/** The operations, each on one account's items, by their places. */
const operations = (table: string, keyOf: (shardKey: string) => object): fc.Arbitrary<Operation> => {
  const target = (
    { action, item: createdItem, rest }: { action: string; item: object | undefined; rest: object },
    at: string,
  ) => ({
    TableName: table,
    ...(action === 'Put' ? { Item: { ...createdItem, ...keyOf(at) } } : { Key: keyOf(at) }),
    ...rest,
  });
  // The real one answers an update that makes an item with an old one of its key, which DynamoDB does not.
  const returns = fc.constantFrom('NONE', 'ALL_NEW', 'UPDATED_NEW');
  const single = fc
    .tuple(fc.oneof(put, change, removal), shardKey, returns)
    .map(([write, at, returnValues]) => ({
      name: `${write.action}Item`,
      input: {
        ...target(write, at),
        ReturnValues: write.action === 'Update' || returnValues === 'NONE' ? returnValues : 'ALL_OLD',
      },
    }));
  const transaction = fc
    .uniqueArray(fc.tuple(fc.oneof(put, change, removal, check), shardKey), {
      minLength: 1,
      maxLength: 3,
      selector: ([, at]) => at,
    })
    .map((writes) => ({
      name: 'TransactWriteItems',
      input: { TransactItems: writes.map(([write, at]) => ({ [write.action]: target(write, at) })) },
    }));
  const read = fc.tuple(optional(projection), shardKey).map(([paths, at]) => {
    const text = paths?.map((each) => each.at).join(', ');
    return {
      name: 'GetItem',
      input: {
        TableName: table,
        Key: keyOf(at),
        ...(text === undefined ? {} : { ProjectionExpression: text, ...placeholders(text) }),
      },
    };
  });
  const keys = fc.uniqueArray(shardKey, { minLength: 1, maxLength: 3 });
  const reads = fc.oneof(
    keys.map((at) => ({
      name: 'BatchGetItem',
      input: { RequestItems: { [table]: { Keys: at.map(keyOf) } } },
    })),
    keys.map((at) => ({
      name: 'TransactGetItems',
      input: { TransactItems: at.map((each) => ({ Get: { TableName: table, Key: keyOf(each) } })) },
    })),
  );
  return fc.oneof({ arbitrary: single, weight: 5 }, { arbitrary: transaction, weight: 2 }, read, reads);
};

const comparable = (output: object): unknown => {
  const { $metadata: _metadata, ConsumedCapacity: _consumed, ...rest } = output as Record<string, unknown>;
  return sorted(rest);
};

/** Sets and the answers of a batch come in no order. */
function sorted(data: unknown, name = ''): unknown {
  if (Array.isArray(data)) {
    const all = data.map((each) => sorted(each));
    return name === 'SS' || name === 'wallets'
      ? all.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : all;
  }
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data)
      .filter(([key, each]) => each !== undefined && key !== 'Message')
      .map(([key, each]) => [key, sorted(each, key)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

interface Failure extends Error {
  readonly Item?: unknown;
  readonly CancellationReasons?: unknown;
}

const failed = ({ name, Item: shown, CancellationReasons: reasons }: Failure): unknown =>
  sorted({ failure: name, shown, reasons });

async function real({ name, input }: Operation): Promise<unknown> {
  const Command = COMMANDS[name as keyof typeof COMMANDS] as unknown as typeof GetItemCommand;
  try {
    return comparable(await database.client.send(new Command(input as never)));
  } catch (failure) {
    return failed(failure as Failure);
  }
}

function virtual(engine: VirtualEngine, { name, input }: Operation): unknown {
  const { output, failure } = engine.execute(name, input);
  return failure === undefined ? comparable(output ?? {}) : failed(failure);
}

describe('the virtual database', () => {
  it('returns and stores the same as the real one, whatever the expressions', async () => {
    const id = (at: string) => ({ wallet_id: { S: `acc_0#${at}` } });
    const storedOperation: Operation = {
      name: 'BatchGetItem',
      input: { RequestItems: { wallets: { Keys: ['1', '2', '3'].map(id) } } },
    };
    await fc.assert(
      fc.asyncProperty(fc.array(operations('wallets', id), { maxLength: 12 }), async (all) => {
        account += 1;
        const engine = new VirtualEngine({ wallets: new VirtualTable(TABLES.wallets) });
        const ours = JSON.stringify(all.flatMap((each) => [each, storedOperation])).replaceAll(
          'acc_0#',
          `acc_${account}#`,
        );
        for (const each of JSON.parse(ours) as Operation[])
          expect([each, virtual(engine, each)]).toEqual([each, await real(each)]);
      }),
      { numRuns: rounds(60) },
    );
  });

  const usage = (keyId: string, shardKey: number) => ({
    TableName: 'usage',
    Item: { key_id: { S: keyId }, request_id: { S: `req_${shardKey}` }, cost: { N: String(shardKey) } },
  });
  const range = (fields: object): Operation => ({
    name: 'Query',
    input: {
      TableName: 'usage',
      KeyConditionExpression: 'key_id = :key AND request_id BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':key': { S: 'key_1' }, ':from': { S: 'req_2' }, ':to': { S: 'req_7' } },
      ...fields,
    },
  });
  const last = { key_id: { S: 'key_1' }, request_id: { S: 'req_5' } };
  const byAccount = {
    TableName: 'keys',
    IndexName: 'by-account',
    KeyConditionExpression: 'account_id = :account',
    ExpressionAttributeValues: { ':account': { S: 'acc_pages' } },
  };

  it.each<[string, Operation]>([
    ['a range', range({})],
    ['a range from its end', range({ ScanIndexForward: false, Limit: 2 })],
    ['a page that is full', range({ Limit: 6 })],
    ['the page after a key', range({ ExclusiveStartKey: last, ProjectionExpression: 'cost' })],
    ['the page before a key', range({ ExclusiveStartKey: last, ScanIndexForward: false, Limit: 2 })],
    [
      'a range of which a filter leaves some',
      range({
        FilterExpression: 'cost > :least',
        ExpressionAttributeValues: {
          ':key': { S: 'key_1' },
          ':from': { S: 'req_2' },
          ':to': { S: 'req_7' },
          ':least': { N: '4' },
        },
      }),
    ],
    ['an index', { name: 'Query', input: byAccount }],
  ])('reads %s as the real one does', async (_name, query) => {
    const engine = new VirtualEngine({
      usage: new VirtualTable(TABLES.usage),
      keys: new VirtualTable(TABLES.keys),
    });
    const puts = [
      ...Array.from({ length: 9 }, (_, shardKey) => usage('key_1', shardKey + 1)),
      usage('key_2', 3),
      ...['key_b', 'key_a'].map((id) => ({
        TableName: 'keys',
        Item: { key_id: { S: id }, account_id: { S: 'acc_pages' }, name: { S: 'x' } },
      })),
    ].map((input) => ({ name: 'PutItem', input }));
    for (const each of [...puts, query])
      expect([each, virtual(engine, each)]).toEqual([each, await real(each)]);
  });

  it('scans every item once, page by page', () => {
    const engine = new VirtualEngine({ wallets: new VirtualTable(TABLES.wallets) });
    const ids = Array.from({ length: 25 }, (_, index) => `acc_${index}`);
    for (const id of ids)
      engine.execute('PutItem', {
        TableName: 'wallets',
        Item: { wallet_id: { S: id }, balance: { N: '1' } },
      });
    const values: (string | undefined)[] = [];
    let start: Record<string, { S: string }> | undefined;
    do {
      const { output } = engine.execute('Scan', {
        TableName: 'wallets',
        Limit: 10,
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
      });
      const page = output as { Items: { wallet_id: { S: string } }[]; LastEvaluatedKey?: typeof start };
      values.push(...page.Items.map((each) => each.wallet_id.S));
      start = page.LastEvaluatedKey;
    } while (start !== undefined);
    expect(values).toEqual(ids);
  });
});
