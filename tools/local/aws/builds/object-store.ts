/** Objects of the local buckets as files of the state folder: the bytes, and next to them what S3 keeps of them. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface ListedObject {
  readonly key: string;
  readonly size: number;
  readonly modifiedMs: number;
}

interface StoredObject extends Pick<ListedObject, 'key' | 'modifiedMs'> {
  readonly body: Buffer;
  readonly etag: string;
  readonly contentType: string;
}

export interface ObjectStore {
  /** Lists the objects of a bucket by key. */
  list(bucket: string): Promise<readonly ListedObject[]>;
  read(bucket: string, key: string): Promise<StoredObject | undefined>;
  /** Complete when it resolves; a crash leaves the object before it. */
  write(bucket: string, key: string, body: Buffer, contentType: string): Promise<string>;
  remove(bucket: string, key: string): Promise<void>;
}

export function createObjectStore(stateDir: string, clock: () => number = Date.now): ObjectStore {
  const folderOf = (bucket: string): string => {
    const folder = join(stateDir, 's3', encodeURIComponent(bucket));
    mkdirSync(folder, { recursive: true });
    return folder;
  };
  const fileOf = (key: string): string => createHash('sha256').update(key).digest('hex');
  const pathOf = (bucket: string, key: string): string => join(folderOf(bucket), fileOf(key));
  return {
    async list(bucket) {
      const folder = folderOf(bucket);
      // What is still being written has a longer name.
      const names = (await readdir(folder)).filter((name) => !name.includes('.'));
      const objects = await Promise.all(names.map((name) => readStored(join(folder, name))));
      return objects
        .flatMap((each) => (each === undefined ? [] : [{ ...each, size: each.body.length }]))
        .sort((a, b) => (a.key < b.key ? -1 : 1));
    },
    read: (bucket, key) => readStored(pathOf(bucket, key)),
    async write(bucket, key, body, contentType) {
      const etag = `"${createHash('md5').update(body).digest('hex')}"`;
      const path = pathOf(bucket, key);
      const temporary = `${path}.${randomUUID()}`;
      await writeFile(
        temporary,
        Buffer.concat([
          Buffer.from(`${JSON.stringify({ key, modifiedMs: clock(), etag, contentType })}\n`),
          body,
        ]),
      );
      await rename(temporary, path);
      return etag;
    },
    remove: (bucket, key) => rm(pathOf(bucket, key), { force: true }),
  };
}

async function readStored(path: string): Promise<StoredObject | undefined> {
  try {
    const stored = await readFile(path);
    const end = stored.indexOf(0x0a);
    const described = JSON.parse(stored.toString('utf8', 0, end)) as Omit<StoredObject, 'body'>;
    return { ...described, body: stored.subarray(end + 1) };
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw failure;
  }
}
