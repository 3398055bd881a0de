/** Releases in DynamoDB: a release, the current version and the event about it change together. */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Page, PageQuery } from '../../../platform/core/api/paging.ts';
import type { Clock } from '../../../platform/core/ports.ts';
import { number, readText, text } from '../../../platform/dynamodb/attribute-values.ts';
import { readItem } from '../../../platform/dynamodb/reads.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import type { Release } from '../../core/listings/activity.ts';
import type { Listing } from '../../core/listings/listing.ts';
import type { ReleaseStore } from '../../core/listings/ports.ts';
import { historyPage } from '../listings/listing-history.ts';
import { encodeEvent, listingKey, putNew } from '../listings/listing-item.ts';
import { decodeRelease, newReleaseItems, RELEASE_PREFIX, versionKey } from '../listings/release-item.ts';
import { checkClean, markReleased } from './build-store.ts';

/** Places of a transaction's items, by which a failed condition is reported: the listing is first. */
const LISTING_INDEX = 0;
/** After the listing, the release with its version, and the event. */
const BUILD_INDEX = 4;

export interface ReleaseTables {
  readonly listings: string;
  readonly market: string;
}

/** The write or the check on the build of a release, if it has one. */
const ofBuild = (
  write: typeof checkClean,
  table: string,
  { listingId, build }: Release,
): readonly TransactWriteItem[] => (build === undefined ? [] : [write(table, { listingId, ...build })]);

export function createReleaseStore(
  client: DynamoDBClient,
  tables: ReleaseTables,
  clock: Clock,
): ReleaseStore {
  const table = tables.listings;
  const nowSeconds = () => Math.floor(clock() / 1000);
  const setVersion = (version: string, { id, revision }: Listing, released: 0 | 1): TransactWriteItem => ({
    Update: {
      TableName: table,
      Key: listingKey(id),
      UpdateExpression:
        'SET version = :version, updated = :now, revision = revision + :one ADD releases :released',
      ConditionExpression: 'revision = :revision',
      ExpressionAttributeValues: {
        ':version': text(version),
        ':now': number(nowSeconds()),
        ':one': number(1),
        ':released': number(released),
        ':revision': number(revision),
      },
    },
  });
  return {
    async release(release, listing, event) {
      const result = await transact(client, [
        setVersion(release.version, listing, 1),
        ...newReleaseItems(release, table),
        putNew(table, encodeEvent(listing.id, event, nowSeconds())),
        ...ofBuild(markReleased, tables.market, release),
      ]);
      if (result.done) return 'done';
      if (result.failed.includes(LISTING_INDEX)) return 'changed';
      return result.failed.includes(BUILD_INDEX) ? 'not clean' : 'repeated';
    },
    async find(listingId, version) {
      const byVersion = await readItem(client, { TableName: table, Key: versionKey(listingId, version) });
      if (byVersion === undefined) return undefined;
      const key = listingKey(listingId, `${RELEASE_PREFIX}${readText(byVersion, 'release_id')}`);
      const item = await readItem(client, { TableName: table, Key: key });
      return item === undefined ? undefined : decodeRelease(item);
    },
    async rollback(release, listing, event) {
      const { version } = release;
      const result = await transact(client, [
        setVersion(version, listing, 0),
        {
          ConditionCheck: {
            TableName: table,
            Key: versionKey(listing.id, version),
            ConditionExpression: 'attribute_exists(listing_id)',
          },
        },
        putNew(table, encodeEvent(listing.id, event, nowSeconds())),
        ...ofBuild(checkClean, tables.market, release),
      ]);
      if (result.done) return 'done';
      return result.failed.includes(LISTING_INDEX) ? 'changed' : 'not clean';
    },
  };
}

/** Newest first. */
export const readReleases = (
  client: DynamoDBClient,
  table: string,
  listingId: string,
  query: PageQuery,
): Promise<Page<Release>> =>
  historyPage(client, table, { listingId, prefix: RELEASE_PREFIX, decode: decodeRelease }, query);
