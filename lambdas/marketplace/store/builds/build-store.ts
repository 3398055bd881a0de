/** Builds in DynamoDB, in the partition of their listing. A build, its counts and its event change together. */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { PageQuery } from '../../../platform/core/api/paging.ts';
import { dayOf } from '../../../platform/core/api/quotas.ts';
import {
  type Item,
  number,
  readNumber,
  readText,
  text,
} from '../../../platform/dynamodb/attribute-values.ts';
import { countOneOf, countsOf } from '../../../platform/dynamodb/quota-item.ts';
import { queryPage, readItem } from '../../../platform/dynamodb/reads.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import type { PublishedEvent } from '../../../webhooks/core/event.ts';
import {
  BUILD_PREFIX,
  BUILD_STATUSES,
  type Build,
  type BuildKey,
  type BuildReason,
  isFinal,
} from '../../core/builds/build.ts';
import type { BuildCreation, BuildQuotas, BuildStore } from '../../core/builds/ports.ts';
import { encodeEvent, putNew } from '../listings/listing-item.ts';
import { dueAttributes, marketKey, putNewItem } from '../market-item.ts';

export interface BuildTables {
  readonly market: string;
  readonly listings: string;
}

const buildKey = ({ listingId, id }: BuildKey): Item => marketKey(listingId, `${BUILD_PREFIX}${id}`);

/** The places of a transaction's items, by which a failed condition is reported. */
const DAY_INDEX = 0;

export class DynamoBuildStore implements BuildStore {
  readonly #client: DynamoDBClient;
  readonly #tables: BuildTables;

  constructor(client: DynamoDBClient, tables: BuildTables) {
    this.#client = client;
    this.#tables = tables;
  }

  async create(build: Build, { perDay, bytes }: BuildQuotas): Promise<BuildCreation> {
    const table = this.#tables.market;
    const day = dayOf(build.created);
    const dayKey = { TableName: table, Key: marketKey(countsOf(build.ownerId), `builds#${day}`) };
    const result = await transact(this.#client, [
      countOneOf(day, dayKey, perDay),
      {
        Update: {
          ...this.#bytesKey(build),
          UpdateExpression: 'ADD used :size',
          ConditionExpression: 'attribute_not_exists(used) OR used <= :room',
          ExpressionAttributeValues: { ':size': number(build.size), ':room': number(bytes - build.size) },
        },
      },
      putNewItem(table, encodeBuild(build)),
    ]);
    if (result.done) return 'done';
    return result.failed.includes(DAY_INDEX) ? 'day full' : 'bytes full';
  }

  async find(key: BuildKey): Promise<Build | undefined> {
    const item = await readItem(this.#client, { TableName: this.#tables.market, Key: buildKey(key) });
    return item === undefined ? undefined : decodeBuild(item);
  }

  list(listingId: string, { limit, after }: PageQuery) {
    return queryPage(
      this.#client,
      {
        TableName: this.#tables.market,
        KeyConditionExpression: 'owner_id = :listing AND begins_with(#item, :prefix)',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':listing': text(listingId), ':prefix': text(BUILD_PREFIX) },
        ...(after === undefined ? {} : { ExclusiveStartKey: buildKey({ listingId, id: after }) }),
        ScanIndexForward: false,
        ConsistentRead: true,
        Limit: limit,
      },
      decodeBuild,
      ({ id }) => id,
    );
  }

  async replace(build: Build, to: Build, event?: PublishedEvent): Promise<boolean> {
    const isUnusable = isFinal(to) && to.status !== 'clean' && !(isFinal(build) && build.status !== 'clean');
    const result = await transact(this.#client, [
      {
        Put: {
          TableName: this.#tables.market,
          Item: encodeBuild({ ...to, version: build.version + 1 }),
          ConditionExpression: 'version = :version',
          ExpressionAttributeValues: { ':version': number(build.version) },
        },
      },
      ...(isUnusable ? [this.#returnBytes(build)] : []),
      ...(event === undefined
        ? []
        : [putNew(this.#tables.listings, encodeEvent(build.listingId, event, to.scanned ?? build.created))]),
    ]);
    return result.done;
  }

  #bytesKey({ ownerId }: Pick<Build, 'ownerId'>) {
    return { TableName: this.#tables.market, Key: marketKey(countsOf(ownerId), 'build-bytes') };
  }

  #returnBytes(build: Build): TransactWriteItem {
    return {
      Update: {
        ...this.#bytesKey(build),
        UpdateExpression: 'ADD used :less',
        ExpressionAttributeValues: { ':less': number(-build.size) },
      },
    };
  }
}

/** The mark of a release on its build, under the conditions of `checkClean`. */
export const markReleased = (table: string, build: BuildKey & Pick<Build, 'sha256'>): TransactWriteItem => {
  const { ConditionCheck: check } = checkClean(table, build);
  return {
    Update: {
      ...check,
      TableName: table,
      Key: buildKey(build),
      UpdateExpression: 'SET released = :true ADD version :one',
      ExpressionAttributeValues: {
        ...check?.ExpressionAttributeValues,
        ':true': { BOOL: true },
        ':one': number(1),
      },
    },
  };
};

/** The check of a release: the build is one of this listing, clean, and the one that was read. */
export const checkClean = (table: string, build: BuildKey & Pick<Build, 'sha256'>): TransactWriteItem => ({
  ConditionCheck: {
    TableName: table,
    Key: buildKey(build),
    ConditionExpression: '#status = :clean AND sha256 = :digest',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':clean': text('clean'), ':digest': text(build.sha256) },
  },
});

function encodeBuild(build: Build): Item {
  const item: Item = {
    ...buildKey(build),
    account_id: text(build.ownerId),
    filename: text(build.filename),
    size: number(build.size),
    sha256: text(build.sha256),
    status: text(build.status),
    threats: { L: build.threats.map(text) },
    requests: number(build.requests),
    released: { BOOL: build.released },
    created: number(build.created),
    version: number(build.version),
  };
  if (build.reason !== undefined) item.reason = text(build.reason);
  if (build.engine !== undefined) item.engine = text(build.engine);
  if (build.scanned !== undefined) item.scanned = number(build.scanned);
  if (build.dueAt === undefined) return item;
  return { ...item, due: number(build.dueAt), ...dueAttributes(build.id, build.dueAt) };
}

export function decodeBuild(item: Item): Build {
  const status = BUILD_STATUSES.find((each) => each === item.status?.S);
  if (status === undefined) throw new Error('not a status of a build');
  return {
    listingId: readText(item, 'owner_id'),
    id: readText(item, 'item').slice(BUILD_PREFIX.length),
    ownerId: readText(item, 'account_id'),
    filename: readText(item, 'filename'),
    size: readNumber(item, 'size'),
    sha256: readText(item, 'sha256'),
    status,
    reason: item.reason?.S as BuildReason | undefined,
    threats: (item.threats?.L ?? []).flatMap(({ S: threat }) => threat ?? []),
    engine: item.engine?.S,
    requests: readNumber(item, 'requests'),
    released: item.released?.BOOL === true,
    created: readNumber(item, 'created'),
    scanned: item.scanned === undefined ? undefined : readNumber(item, 'scanned'),
    dueAt: item.due === undefined ? undefined : readNumber(item, 'due'),
    version: readNumber(item, 'version'),
  };
}
