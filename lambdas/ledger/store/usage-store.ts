/** Usage records in DynamoDB: written once, under a condition that makes the write the commit point. */
import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KINDS } from '../../platform/core/kinds.ts';
import { type Item, number, readText, text } from '../../platform/dynamodb/attribute-values.ts';
import {
  asDecimal,
  asFlag,
  asInteger,
  asNumber,
  asOneOf,
  asText,
  attribute,
  codec,
  type FieldCodecs,
  optional,
  orElse,
} from '../../platform/dynamodb/codec.ts';
import { queryPage, readItem, readMany } from '../../platform/dynamodb/reads.ts';
import { putItem, updateItem } from '../../platform/dynamodb/update-item.ts';
import type { ReplayMarks, UsagePage, UsageQuery, UsageStore } from '../core/ports.ts';
import type { AccountCallsDependencies } from '../core/usage/account-calls.ts';
import type { SummedCall } from '../core/usage/sums.ts';
import {
  type BillBasis,
  type BillLine,
  CALL_STATUSES,
  UNITS,
  type UnbilledUsage,
  type UsageRecord,
} from '../core/usage-record.ts';

const keyOf = (keyId: string, requestId: string): Item => ({
  key_id: text(keyId),
  request_id: text(requestId),
});

/** DynamoDB's most for one batch of reads. */
const BATCH = 100;

export function createUsageStore(
  client: DynamoDBClient,
  table: string,
): UsageStore & AccountCallsDependencies['usage'] {
  async function put(record: UsageRecord): Promise<'written' | UsageRecord> {
    // Distinguishes the SDK's repetition of this write from another process's write.
    const writeId = randomUUID();
    const found = await putItem(client, {
      TableName: table,
      Item: { ...RECORD.encode(record), write_id: text(writeId) },
      ConditionExpression: 'attribute_not_exists(request_id)',
    });
    return found === undefined || found.write_id?.S === writeId ? 'written' : RECORD.decode(found);
  }

  async function get(keyId: string, requestId: string): Promise<UsageRecord | undefined> {
    const item = await readItem(client, { TableName: table, Key: keyOf(keyId, requestId) });
    return item === undefined ? undefined : RECORD.decode(item);
  }

  async function list({ keyId, from, to, limit, before }: UsageQuery): Promise<UsagePage> {
    // A cursor beyond the span's end, from a page of another span, has nothing before it that is not in this one.
    const start = before !== undefined && before <= to ? before : undefined;
    if (from > to || (start !== undefined && start < from)) return { records: [], next: undefined };
    const { entries, next } = await queryPage(
      client,
      {
        TableName: table,
        KeyConditionExpression: 'key_id = :key AND request_id BETWEEN :from AND :to',
        ExpressionAttributeValues: { ':key': text(keyId), ':from': text(from), ':to': text(to) },
        ...(start === undefined ? {} : { ExclusiveStartKey: keyOf(keyId, start) }),
        ScanIndexForward: false,
        ConsistentRead: true,
        Limit: limit,
      },
      RECORD.decode,
      ({ id }) => id,
    );
    return { records: entries, next };
  }

  /** Throws 503 when the table stays throttled. */
  async function find(keyIds: readonly string[], requestId: string): Promise<UsageRecord | undefined> {
    for (let at = 0; at < keyIds.length; at += BATCH) {
      const keys = keyIds.slice(at, at + BATCH).map((keyId) => keyOf(keyId, requestId));
      const [item] = await readMany(client, table, keys);
      if (item !== undefined) return RECORD.decode(item);
    }
    return undefined;
  }

  return { put, get, list, find };
}

/** Marks are part of the record of a call, so that its receipt costs one read. Repeating a mark changes nothing more. */
export const createReplayMarks = (client: DynamoDBClient, table: string): ReplayMarks => ({
  async mark({ keyId, requestId }, nowSeconds) {
    await updateItem(client, {
      TableName: table,
      Key: keyOf(keyId, requestId),
      UpdateExpression: 'SET replayed = :now',
      ConditionExpression: 'attribute_exists(request_id)',
      ExpressionAttributeValues: { ':now': number(nowSeconds) },
    });
  },
});

/** `input*1000@3000000000/1000000`: a quantity of an item, at a price in nano-USD for `per` of them. Items hold no blank. */
const lineText = ({ item, quantity, price, per }: BillLine): string => `${item}*${quantity}@${price}/${per}`;

const LINE = /^(.+)\*([^*@]+)@(\d+)\/(\d+)$/;

function readLine(line: string): BillLine {
  const [, item = '', quantity = '', price = '', per = ''] = LINE.exec(line) ?? [];
  if (item === '') throw new Error('a line of a bill cannot be read');
  return { item, quantity: Number(quantity), price: BigInt(price), per: Number(per) };
}

const LINES = attribute<readonly BillLine[]>(
  'lines',
  (lines) => text(lines.map(lineText).join(' ')),
  (item, name) => readText(item, name).split(' ').map(readLine),
);
const WAIVED = asInteger('waived');

/** A record has no lines where nothing was billed, and no waived amount where none is. */
const basis: FieldCodecs<BillBasis> = {
  lines: optional({ ...LINES, encode: (lines) => (lines.length === 0 ? {} : LINES.encode(lines)) }),
  waived: optional({ ...WAIVED, encode: (amount) => (amount === 0n ? {} : WAIVED.encode(amount)) }),
  catalog: optional(asText('catalog')),
  serviceTier: optional(asText('service_tier')),
  region: optional(asText('region')),
  providerCost: optional(asInteger('provider_cost')),
};

export const BASIS = codec(basis);

const unbilled: FieldCodecs<UnbilledUsage> = {
  amount: asInteger('unbilled'),
  factor: asDecimal('unbilled_factor'),
};

/** The part of a record that sums need. */
export const summedCall: FieldCodecs<SummedCall> = {
  id: asText('request_id'),
  created: asNumber('created'),
  model: orElse(asText('model'), null),
  kind: asOneOf('kind', KINDS),
  status: asOneOf('status', CALL_STATUSES),
  inputUnits: asDecimal('input_units'),
  cachedUnits: asDecimal('cached_units'),
  outputUnits: asDecimal('output_units'),
  cost: asInteger('cost'),
};

export const RECORD = codec<UsageRecord>({
  ...summedCall,
  ...basis,
  keyId: asText('key_id'),
  accountId: asText('account_id'),
  attempt: optional(asText('attempt')),
  unit: asOneOf('unit', UNITS),
  unbilled: optional(codec(unbilled)),
  estimated: asFlag('estimated'),
  route: orElse(asText('route'), null),
  held: optional(asInteger('held')),
  firstTokenMs: optional(asNumber('first_token_ms')),
  attempts: optional(asNumber('attempts')),
  replayed: optional(asNumber('replayed')),
});
