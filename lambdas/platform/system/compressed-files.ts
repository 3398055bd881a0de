/** Compressed files next to a function's code. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { CompressedFiles } from '../core/api/file-response.ts';

/** Reads `<directory>/<file>.gz`, once each, and caches it. */
export function createCompressedFiles(directory: string): CompressedFiles {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    async compressed(file) {
      const cached = files.get(file);
      if (cached !== undefined) return cached;
      try {
        const bytes = Uint8Array.from(await readFile(join(directory, `${file}.gz`)));
        files.set(file, bytes);
        return bytes;
      } catch (failure) {
        if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw failure;
      }
    },
    gunzip: async (bytes) => Uint8Array.from(await promisify(gunzip)(bytes)),
  };
}
