/** Uploads on disk: written once, read for each route attempt, and removed with the process in every case. */
import { createHash, randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SpooledFile } from '../core/upload.ts';

/**
 * Writes the bytes to a file whose name is removed before they arrive, if the system can open such files (proc(5),
 * /proc/self/fd). Otherwise the name is removed when the upload is disposed of.
 */
export async function spoolToDisk(bytes: AsyncIterable<Uint8Array>): Promise<SpooledFile> {
  const path = join(tmpdir(), `upload-${process.pid}-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  const nameless = process.platform === 'linux';
  const dispose = async () => {
    await file.close();
    await rm(path, { force: true });
  };
  try {
    if (nameless) await rm(path);
    const hash = createHash('sha256');
    for await (const buffer of bytes) {
      hash.update(buffer);
      await file.writeFile(buffer);
    }
    const content = await openAsBlob(nameless ? `/proc/self/fd/${file.fd}` : path);
    return { content, sha256: hash.digest('hex'), dispose };
  } catch (failure) {
    await dispose();
    throw failure;
  }
}
