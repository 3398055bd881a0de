/** The requests of S3 for many objects at once. Source: Amazon S3 API reference, ListObjectsV2 and DeleteObjects. */
import type { IncomingHttpHeaders } from 'node:http';
import { AwsError } from '../errors.ts';
import type { ObjectStore } from './object-store.ts';

/** The most keys of one page, and of one request that deletes. */
const MAX_KEYS = 1_000;

/** Returns a page of the list as XML. The token of a page is the last key of the page before. */
export function listObjects(
  objects: Awaited<ReturnType<ObjectStore['list']>>,
  query: URLSearchParams,
): string {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? '';
  const maxKeys = Math.min(Number(query.get('max-keys') ?? MAX_KEYS), MAX_KEYS);
  const left = objects.filter(({ key }) => key.startsWith(prefix) && key > after);
  const page = left.slice(0, maxKeys);
  const contents = page.map(
    ({ key, size, modifiedMs }) =>
      `<Contents><Key>${escaped(key)}</Key><Size>${size}</Size><LastModified>${new Date(modifiedMs).toISOString()}</LastModified></Contents>`,
  );
  const isTruncated = left.length > page.length;
  const next = isTruncated
    ? `<NextContinuationToken>${escaped(page.at(-1)?.key ?? '')}</NextContinuationToken>`
    : '';
  return `<ListBucketResult><KeyCount>${page.length}</KeyCount><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`;
}

/** Removes the keys that the XML names, each by itself. Returns the errors as XML. */
export async function removeObjects(
  body: Buffer,
  headers: IncomingHttpHeaders,
  remove: (key: string) => Promise<void>,
): Promise<string> {
  const hasChecksum = Object.keys(headers).some((name) => /^(content-md5|x-amz-checksum-.+)$/.test(name));
  if (!hasChecksum) throw new AwsError('InvalidRequest', 'Missing required header: Content-MD5', 400);
  const keys = [...body.toString().matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = '']) => unescaped(key));
  if (keys.length === 0 || keys.length > MAX_KEYS) throw new AwsError('MalformedXML', 'MalformedXML', 400);
  const errors = await Promise.all(
    keys.map(async (key) => {
      try {
        await remove(key);
        return '';
      } catch {
        return `<Error><Key>${escaped(key)}</Key><Code>AccessDenied</Code><Message>Access Denied</Message></Error>`;
      }
    }),
  );
  return `<DeleteResult>${errors.join('')}</DeleteResult>`;
}

const ENTITIES = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
] as const;

const escaped = (text: string): string =>
  ENTITIES.reduce((result, [character, entity]) => result.replaceAll(character, entity), text);

const unescaped = (text: string): string =>
  ENTITIES.toReversed().reduce((result, [character, entity]) => result.replaceAll(entity, character), text);
