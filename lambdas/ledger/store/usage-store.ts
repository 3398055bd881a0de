/** Usage records in DynamoDB: written once, under a condition that makes the write the commit point. */
import { randomUUID } from 'node:crypto';
import { type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import {
  type Item,
  number,
  readDecimal,
  readInteger,
  readNumber,
  readText,
  text,
} from '../../platform/dynamodb/attribute-values.ts';
import { queryPage, readItem, readMany } from '../../platform/dynamodb/reads.ts';
import { putItem, updateItem } from '../../platform/dynamodb/update-item.ts';
import type { LeaseRecords, ReplayMarks, UsagePage, UsageQuery, UsageStore } from '../core/ports.ts';
import type { AccountCallsDependencies } from '../core/usage/account-calls.ts';
import {
  type BillBasis,
  type BillLine,
  CALL_STATUSES,
  type CallStatus,
  UNITS,
  type UsageRecord,
} from '../core/usage-record.ts';
import { decodeProgress, encodeProgress } from './progress-item.ts';
import { readKind } from './wallet/item.ts';

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
    const existing = await putItem(client, {
      TableName: table,
      Item: { ...encodeRecord(record), write_id: text(writeId) },
      ConditionExpression: 'attribute_not_exists(request_id)',
    });
    return existing === undefined || existing.write_id?.S === writeId ? 'written' : decodeRecord(existing);
  }

  async function get(keyId: string, requestId: string): Promise<UsageRecord | undefined> {
    const item = await readItem(client, { TableName: table, Key: keyOf(keyId, requestId) });
    return item === undefined ? undefined : decodeRecord(item);
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
      decodeRecord,
      ({ id }) => id,
    );
    return { records: entries, next };
  }

  /** Throws 503 when the table stays throttled. */
  async function find(keyIds: readonly string[], requestId: string): Promise<UsageRecord | undefined> {
    for (let at = 0; at < keyIds.length; at += BATCH) {
      const keys = keyIds.slice(at, at + BATCH).map((keyId) => keyOf(keyId, requestId));
      const [item] = await readMany(client, table, keys);
      if (item !== undefined) return decodeRecord(item);
    }
    return undefined;
  }

  async function ofLease({ keyId, leaseId, from, to }: LeaseRecords): Promise<readonly UsageRecord[]> {
    const records: UsageRecord[] = [];
    const pages = paginateQuery(
      { client },
      {
        TableName: table,
        // No request id is equal to the end of the range, which has no random part.
        KeyConditionExpression: 'key_id = :key AND request_id BETWEEN :from AND :to',
        FilterExpression: '#lease = :lease',
        ExpressionAttributeNames: { '#lease': 'lease' },
        ExpressionAttributeValues: {
          ':key': text(keyId),
          ':from': text(from),
          ':to': text(to),
          ':lease': text(leaseId),
        },
        ConsistentRead: true,
      },
    );
    for await (const { Items: items = [] } of pages) records.push(...items.map(decodeRecord));
    return records;
  }

  return { put, get, list, find, ofLease };
}

/**
 * Creates the store of replay flags. A flag is part of a call's record, so that its receipt costs one read. Repeating a
 * write has no further effect.
 */
export const createReplayMarks = (client: DynamoDBClient, table: string): ReplayMarks => ({
  async markReplay({ keyId, requestId }, nowSeconds) {
    await updateItem(client, {
      TableName: table,
      Key: keyOf(keyId, requestId),
      UpdateExpression: 'SET replayed = :now',
      ConditionExpression: 'attribute_exists(request_id)',
      ExpressionAttributeValues: { ':now': number(nowSeconds) },
    });
  },
});

export function encodeRecord(record: UsageRecord): Item {
  const item: Item = {
    key_id: text(record.keyId),
    request_id: text(record.id),
    account_id: text(record.accountId),
    created: number(record.created),
    ...(record.model === null ? {} : { model: text(record.model) }),
    kind: text(record.kind),
    input_units: number(record.inputUnits),
    cached_units: number(record.cachedUnits),
    output_units: number(record.outputUnits),
    unit: text(record.unit),
    cost: number(record.cost),
    ...(record.waived === undefined || record.waived === 0n ? {} : { waived: number(record.waived) }),
    ...(record.unbilled === undefined
      ? {}
      : { unbilled: number(record.unbilled.amount), unbilled_factor: number(record.unbilled.factor) }),
    estimated: { BOOL: record.estimated },
    ...(record.route === null ? {} : { route: text(record.route) }),
    status: text(record.status),
    ...(record.attempt === undefined ? {} : { attempt: text(record.attempt) }),
    ...(record.lease === undefined ? {} : { lease: text(record.lease) }),
    ...(record.heldAmount === undefined ? {} : { held: number(record.heldAmount) }),
    ...(record.firstTokenMs === undefined ? {} : { first_token_ms: number(record.firstTokenMs) }),
    ...(record.attempts === undefined ? {} : { attempts: number(record.attempts) }),
    ...encodeBasis(record),
  };
  return { ...item, ...encodeProgress(record, item) };
}

export function decodeRecord(item: Item): UsageRecord {
  return {
    id: readText(item, 'request_id'),
    ...(item.attempt?.S === undefined ? {} : { attempt: item.attempt.S }),
    ...(item.lease?.S === undefined ? {} : { lease: item.lease.S }),
    keyId: readText(item, 'key_id'),
    accountId: readText(item, 'account_id'),
    created: readNumber(item, 'created'),
    model: item.model?.S ?? null,
    kind: readKind(readText(item, 'kind')),
    inputUnits: readDecimal(item, 'input_units'),
    cachedUnits: readDecimal(item, 'cached_units'),
    outputUnits: readDecimal(item, 'output_units'),
    unit: oneOf(readText(item, 'unit'), UNITS),
    cost: readInteger(item, 'cost'),
    ...(item.waived === undefined ? {} : { waived: readInteger(item, 'waived') }),
    ...(item.unbilled === undefined
      ? {}
      : {
          unbilled: {
            amount: readInteger(item, 'unbilled'),
            factor: readDecimal(item, 'unbilled_factor'),
          },
        }),
    estimated: item.estimated?.BOOL === true,
    route: item.route?.S ?? null,
    status: readStatus(item),
    ...(item.held === undefined ? {} : { heldAmount: readInteger(item, 'held') }),
    ...(item.first_token_ms === undefined ? {} : { firstTokenMs: readNumber(item, 'first_token_ms') }),
    ...(item.attempts === undefined ? {} : { attempts: readNumber(item, 'attempts') }),
    ...decodeProgress(item),
    ...(item.replayed === undefined ? {} : { replayed: readNumber(item, 'replayed') }),
    ...decodeBasis(item),
  };
}

/** Throws for a status that there is not. */
export const readStatus = (item: Item): CallStatus => oneOf(readText(item, 'status'), CALL_STATUSES);

function oneOf<T extends string>(value: string, values: readonly T[]): T {
  const match = values.find((candidate) => candidate === value);
  if (match === undefined) throw new Error(`${value} is none of ${values.join(', ')}`);
  return match;
}

/** `input*1000@3000000000/1000000`: a quantity of an item, at a price in nano-USD for `per` of them. Items hold no blank. */
const lineText = ({ item, quantity, price, per }: BillLine): string => `${item}*${quantity}@${price}/${per}`;

const LINE = /^(.+)\*([^*@]+)@(\d+)\/(\d+)$/;

function readLine(line: string): BillLine {
  const [, item = '', quantity = '', price = '', per = ''] = LINE.exec(line) ?? [];
  if (item === '') throw new Error('a line of a bill cannot be read');
  return { item, quantity: Number(quantity), price: BigInt(price), per: Number(per) };
}

export const encodeBasis = (basis: BillBasis): Item => ({
  ...(basis.lines === undefined || basis.lines.length === 0
    ? {}
    : { lines: text(basis.lines.map(lineText).join(' ')) }),
  ...(basis.catalog === undefined ? {} : { catalog: text(basis.catalog) }),
  ...(basis.serviceTier === undefined ? {} : { service_tier: text(basis.serviceTier) }),
  ...(basis.region === undefined ? {} : { region: text(basis.region) }),
  ...(basis.providerCost === undefined ? {} : { provider_cost: number(basis.providerCost) }),
});

export const decodeBasis = (item: Item): BillBasis => ({
  ...(item.lines?.S === undefined ? {} : { lines: item.lines.S.split(' ').map(readLine) }),
  ...(item.catalog?.S === undefined ? {} : { catalog: item.catalog.S }),
  ...(item.service_tier?.S === undefined ? {} : { serviceTier: item.service_tier.S }),
  ...(item.region?.S === undefined ? {} : { region: item.region.S }),
  ...(item.provider_cost === undefined ? {} : { providerCost: readInteger(item, 'provider_cost') }),
});
