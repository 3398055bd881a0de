/** The two items of a release: one in the order of time, and one under its version, which can be there only once. */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import {
  type Item,
  map,
  number,
  readMap,
  readNumber,
  readText,
  text,
} from '../../../platform/dynamodb/attribute-values.ts';
import type { Release, ReleasedArtifact } from '../../core/listings/activity.ts';
import { listingKey, putNew } from './listing-item.ts';

/** Goes before the release's id, which sorts by time. */
export const RELEASE_PREFIX = 'release#';

export const versionKey = (listingId: string, version: string): Item =>
  listingKey(listingId, `version#${version}`);

/** The version's own item, under the condition that it is new, and then the release. */
export const newReleaseItems = (release: Release, table: string): readonly TransactWriteItem[] => [
  putNew(table, { ...versionKey(release.listingId, release.version), release_id: text(release.id) }),
  { Put: { TableName: table, Item: encodeRelease(release) } },
];

const encodeRelease = ({ id, listingId, version, notes, build, created }: Release): Item => ({
  ...listingKey(listingId, `${RELEASE_PREFIX}${id}`),
  id: text(id),
  version: text(version),
  notes: text(notes),
  ...(build === undefined ? {} : { build: encodeArtifact(build) }),
  created: number(created),
});

const encodeArtifact = ({ id, sha256, size }: ReleasedArtifact) =>
  map({ id: text(id), sha256: text(sha256), size: number(size) });

const decodeArtifact = (item: Item): ReleasedArtifact => ({
  id: readText(item, 'id'),
  sha256: readText(item, 'sha256'),
  size: readNumber(item, 'size'),
});

export const decodeRelease = (item: Item): Release => ({
  id: readText(item, 'id'),
  listingId: readText(item, 'listing_id'),
  version: readText(item, 'version'),
  notes: readText(item, 'notes'),
  build: item.build === undefined ? undefined : decodeArtifact(readMap(item, 'build')),
  created: readNumber(item, 'created'),
});
