/** The files of the reference page, which lie compressed beside the function's code. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** Read once each, and kept. */
export function createDocsAssets(directory: string) {
  const files = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  return {
    compressed(file: string): Promise<Uint8Array<ArrayBuffer>> {
      const known =
        files.get(file) ?? readFile(join(directory, `${file}.gz`)).then((bytes) => Uint8Array.from(bytes));
      files.set(file, known);
      return known;
    },
    gunzip: async (bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> =>
      Uint8Array.from(await promisify(gunzip)(bytes)),
  };
}
