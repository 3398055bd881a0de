/**
 * The stored usage rollups, in the account's partition of the table of accounts. `usage_rollups#<UTC day>#<key id>` is the
 * rollup of a day on which a key had calls. `usage_rollups#through` is the progress up to which they are stored.
 */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type DynamoDBClient, paginateQuery, QueryCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { KINDS } from '../../../platform/core/kinds.ts';
import {
  type Item,
  map,
  number,
  readDecimal,
  readInteger,
  readMap,
  readNumber,
  readText,
  text,
} from '../../../platform/dynamodb/attribute-values.ts';
import { readItem } from '../../../platform/dynamodb/reads.ts';
import { putNextVersion, updateItem } from '../../../platform/dynamodb/update-item.ts';
import {
  type CallPages,
  type KeyDay,
  NO_PROGRESS,
  type OpenKey,
  type RollupProgress,
  type RollupStore,
} from '../../core/usage/ports.ts';
import { DAY_HOURS, type RollupCall } from '../../core/usage/rollups.ts';
import { CALL_STATUSES } from '../../core/usage-record.ts';
import { readStatus } from '../usage-store.ts';
import { readKind } from '../wallet/item.ts';

const DAY_MS = 86_400_000;

export const ROLLUP_PREFIX = 'usage_rollups#';

/** `~` follows every character of a key's id. */
const dayPrefix = (day: number): string =>
  `${ROLLUP_PREFIX}${new Date(day * DAY_MS).toISOString().slice(0, 10)}#`;

const itemKey = (accountId: string, item: string): Item => ({
  account_id: text(accountId),
  item: text(item),
});

export function createRollupStore(client: DynamoDBClient, table: string): RollupStore {
  const progressKey = (accountId: string) => itemKey(accountId, `${ROLLUP_PREFIX}through`);
  return {
    async progress(accountId) {
      const item = await readItem(client, { TableName: table, Key: progressKey(accountId) });
      return item === undefined ? NO_PROGRESS : decodeProgress(item);
    },
    async storeProgress(accountId, progress) {
      const Item = { ...progressKey(accountId), ...encodeProgress(progress) };
      return putNextVersion(client, { TableName: table, Item }, progress.version);
    },
    async days(accountId, first, last) {
      const keyDays: Promise<KeyDay>[] = [];
      const pages = paginateQuery(
        { client },
        {
          TableName: table,
          ConsistentRead: true,
          KeyConditionExpression: 'account_id = :account AND #item BETWEEN :first AND :last',
          ExpressionAttributeNames: { '#item': 'item' },
          ExpressionAttributeValues: {
            ':account': text(accountId),
            ':first': text(dayPrefix(first)),
            ':last': text(`${dayPrefix(last)}~`),
          },
        },
      );
      for await (const { Items: items = [] } of pages) keyDays.push(...items.map(decodeDay));
      return Promise.all(keyDays);
    },
    async storeDay(accountId, day) {
      await updateItem(client, {
        TableName: table,
        Key: itemKey(accountId, `${dayPrefix(day.day)}${day.keyId}`),
        UpdateExpression: 'SET through = :through, #rows = :rows',
        ConditionExpression: 'attribute_not_exists(through) OR through < :through',
        ExpressionAttributeNames: { '#rows': 'rows' },
        ExpressionAttributeValues: { ':through': number(day.through), ':rows': { B: await encodeRows(day) } },
      });
    },
  };
}

const encodeProgress = ({ endedTo, open }: RollupProgress): Item => ({
  ended_to: text(endedTo),
  open: map(Object.fromEntries([...open].map(([keyId, key]) => [keyId, encodeOpenKey(key)]))),
});

const encodeOpenKey = ({ reached, end }: OpenKey) => ({
  L: [number(reached), ...(end === undefined ? [] : [number(end)])],
});

function decodeProgress(item: Item): RollupProgress {
  const open = readMap(item, 'open');
  return {
    endedTo: readText(item, 'ended_to'),
    open: new Map(Object.entries(open).map(([keyId, { L: hours = [] }]) => [keyId, decodeOpenKey(hours)])),
    version: readNumber(item, 'version'),
  };
}

const decodeOpenKey = ([reached, end]: readonly Item[string][]): OpenKey => ({
  reached: readNumber(reached === undefined ? {} : { reached }, 'reached'),
  end: end === undefined ? undefined : readNumber({ end }, 'end'),
});

/** An amount of nano-USD as decimal text. */
const amount = z.string().regex(/^\d+$/);

/** Hour of the day, model, kind, status, calls, units, cost. */
const rowsSchema = z.array(
  z.tuple([
    z.int(),
    z.string().nullable(),
    z.enum(KINDS),
    z.enum(CALL_STATUSES),
    z.int(),
    z.number(),
    z.number(),
    z.number(),
    amount,
  ]),
);

/** Rows repeat models and kinds: compressed, a row is some 20 bytes, so that an item has room for 20,000. */
function encodeRows({ day, rows }: KeyDay): Promise<Uint8Array> {
  const compact = rows.map(({ hour, model, kind, status, ...amounts }) => [
    hour - day * DAY_HOURS,
    model,
    kind,
    status,
    amounts.calls,
    amounts.inputUnits,
    amounts.cachedUnits,
    amounts.outputUnits,
    String(amounts.cost),
  ]);
  return promisify(gzip)(JSON.stringify(compact));
}

async function decodeDay(item: Item): Promise<KeyDay> {
  const [, date = '', keyId = ''] = readText(item, 'item').split('#');
  const day = Date.parse(date) / DAY_MS;
  const bytes = item.rows?.B;
  if (bytes === undefined) throw new Error('attribute rows is not binary');
  const rows = rowsSchema.parse(JSON.parse((await promisify(gunzip)(bytes)).toString('utf8')));
  return {
    keyId,
    day,
    through: readNumber(item, 'through'),
    rows: rows.map(([hour, model, kind, status, calls, inputUnits, cachedUnits, outputUnits, cost]) => ({
      hour: day * DAY_HOURS + hour,
      model,
      kind,
      status,
      calls,
      inputUnits,
      cachedUnits,
      outputUnits,
      cost: BigInt(cost),
    })),
  };
}

/**
 * The attributes of a record that rollups need. DynamoDB charges for the data that it reads, not the data that it
 * returns.
 */
const PROJECTION = [
  'request_id',
  'created',
  '#model',
  'kind',
  '#status',
  'cost',
  'input_units',
  'cached_units',
  'output_units',
].join(', ');

export const createCallPages = (client: DynamoDBClient, table: string): CallPages => ({
  async read({ keyId, from, to, after, limit }) {
    const { Items: items = [], LastEvaluatedKey: last } = await client.send(
      new QueryCommand({
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: 'key_id = :key AND request_id BETWEEN :from AND :to',
        ExpressionAttributeValues: { ':key': text(keyId), ':from': text(from), ':to': text(to) },
        ...(after === undefined
          ? {}
          : { ExclusiveStartKey: { key_id: text(keyId), request_id: text(after) } }),
        ProjectionExpression: PROJECTION,
        ExpressionAttributeNames: { '#model': 'model', '#status': 'status' },
        Limit: limit,
      }),
    );
    return {
      calls: items.map(decodeCall),
      next: last === undefined ? undefined : readText(last, 'request_id'),
    };
  },
});

const decodeCall = (item: Item): RollupCall => ({
  id: readText(item, 'request_id'),
  created: readNumber(item, 'created'),
  model: item.model?.S ?? null,
  kind: readKind(readText(item, 'kind')),
  status: readStatus(item),
  inputUnits: readDecimal(item, 'input_units'),
  cachedUnits: readDecimal(item, 'cached_units'),
  outputUnits: readDecimal(item, 'output_units'),
  cost: readInteger(item, 'cost'),
});
