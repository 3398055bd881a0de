/**
 * Builds after a restore. A restored build may be clean although its artifact was removed since: the bucket has it as an old
 * version, which becomes the current one again. A build that was found infected since stays infected, and one of which the current
 * table knows nothing fails. Safe to repeat.
 */
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteObjectCommand, ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3';
import { BUILD_PREFIX } from '../../lambdas/marketplace/core/builds/build.ts';
import { artifactKey, createFileClient } from '../../lambdas/marketplace/store/builds/build-files.ts';
import { requireVariable, VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import { requireTable, TABLES } from '../../lambdas/platform/contract/tables.ts';
import { readText, text } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import type { OperatorTarget } from '../target.ts';
import { pairsOf } from './pairs.ts';

export interface BuildRestore {
  readonly client: DynamoDBClient;
  readonly files: S3Client;
  readonly bucket: string;
  /** The names of the table `market`. */
  readonly current: string;
  readonly restored: string;
}

export interface RestoredBuilds {
  /** The clean builds of the restored table. */
  readonly clean: number;
  /** Those whose artifacts had been removed. */
  readonly brought_back: number;
  /** The builds that were found infected since, or of which nobody knows whether they were. */
  readonly quarantined: number;
  /** The artifacts of clean builds that the bucket does not have: their downloads fail. */
  readonly missing: readonly string[];
}

/** Restores the builds of a deployment by its restored table of the market; returns undefined if it has no market. */
export async function restoreBuildsOf(
  client: DynamoDBClient,
  { client: options, environment }: OperatorTarget,
  restored: string | undefined,
): Promise<RestoredBuilds | undefined> {
  if (restored === undefined) return undefined;
  const files = createFileClient(options);
  const bucket = requireVariable(environment, VARIABLES.buildsBucket);
  try {
    return await restoreBuilds({
      client,
      files,
      bucket,
      current: requireTable(environment, 'market'),
      restored,
    });
  } finally {
    files.destroy();
  }
}

/** Makes sure that each clean build has its artifact. */
export async function restoreBuilds(builds: BuildRestore): Promise<RestoredBuilds> {
  const { client, restored, current } = builds;
  const missing: string[] = [];
  let [clean, broughtBack, quarantined] = [0, 0, 0];
  for await (const [item, currentItem] of pairsOf(client, TABLES.market, {
    from: restored,
    other: current,
  })) {
    const name = readText(item, 'item');
    if (!name.startsWith(BUILD_PREFIX) || item.status?.S !== 'clean') continue;
    if (currentItem === undefined || currentItem.status?.S === 'infected') {
      const unverified = { ...item, status: text('failed'), reason: text('scanner') };
      await client.send(new PutItemCommand({ TableName: restored, Item: currentItem ?? unverified }));
      quarantined += 1;
      continue;
    }
    clean += 1;
    const key = artifactKey({ listingId: readText(item, 'owner_id'), id: name.slice(BUILD_PREFIX.length) });
    const state = await bringBack(builds, key);
    if (state === 'brought back') broughtBack += 1;
    if (state === 'missing') missing.push(key);
  }
  return { clean, brought_back: broughtBack, quarantined, missing };
}

/** Deletes the markers that hide the last version of an object. */
async function bringBack(
  { files, bucket }: BuildRestore,
  key: string,
): Promise<'current' | 'brought back' | 'missing'> {
  const { Versions: versions = [], DeleteMarkers: markers = [] } = await files.send(
    new ListObjectVersionsCommand({ Bucket: bucket, Prefix: key }),
  );
  if (versions.length === 0) return 'missing';
  if (versions.some(({ IsLatest: isLatest }) => isLatest === true)) return 'current';
  for (const { VersionId: version } of markers)
    await files.send(new DeleteObjectCommand({ Bucket: bucket, Key: key, VersionId: version }));
  return 'brought back';
}
