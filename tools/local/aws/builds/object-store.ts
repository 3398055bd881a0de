/** Objects of the local buckets as files of the state folder: the bytes, and next to them what S3 keeps of them. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface StoredObject {
  readonly body: Buffer;
  readonly etag: string;
  readonly contentType: string;
}

export interface ObjectStore {
  read(bucket: string, key: string): Promise<StoredObject | undefined>;
  /** Complete when it resolves; a crash leaves the object before it. */
  write(bucket: string, key: string, body: Buffer, contentType: string): Promise<string>;
  remove(bucket: string, key: string): Promise<void>;
}

export function createObjectStore(stateDir: string): ObjectStore {
  const pathOf = (bucket: string, key: string): string => {
    const folder = join(stateDir, 's3', encodeURIComponent(bucket));
    mkdirSync(folder, { recursive: true });
    return join(folder, createHash('sha256').update(key).digest('hex'));
  };
  return {
    async read(bucket, key) {
      try {
        const stored = await readFile(pathOf(bucket, key));
        const end = stored.indexOf(0x0a);
        const { etag, contentType } = JSON.parse(stored.toString('utf8', 0, end)) as Omit<
          StoredObject,
          'body'
        >;
        return { body: stored.subarray(end + 1), etag, contentType };
      } catch (failure) {
        if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw failure;
      }
    },
    async write(bucket, key, body, contentType) {
      const etag = `"${createHash('md5').update(body).digest('hex')}"`;
      const path = pathOf(bucket, key);
      const temporary = `${path}.${randomUUID()}`;
      await writeFile(
        temporary,
        Buffer.concat([Buffer.from(`${JSON.stringify({ etag, contentType })}\n`), body]),
      );
      await rename(temporary, path);
      return etag;
    },
    remove: (bucket, key) => rm(pathOf(bucket, key), { force: true }),
  };
}
