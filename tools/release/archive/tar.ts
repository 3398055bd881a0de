/** A tar archive whose bytes depend on the names, modes and contents of its files alone (POSIX.1-2017, pax, ustar format). */
import type { ArchivedFile } from './files.ts';

const BLOCK_BYTES = 512;
const MAX_NAME_BYTES = 100;
const MAX_PREFIX_BYTES = 155;

/** 1980-01-01, seconds: tar warns of a time near 0, and zip has none before. */
const TIME = 315_532_800;

/** Returns the files as a tar archive, in the order of their paths. Throws for a path that is too long for the format. */
export function tarOf(files: readonly ArchivedFile[]): Buffer {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const blocks = sorted.flatMap((file) => [headerOf(file), file.content, paddingOf(file.content.length)]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]);
}

const paddingOf = (bytes: number): Buffer =>
  Buffer.alloc((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES);

function headerOf({ path, content, isExecutable }: ArchivedFile): Buffer {
  const { prefix, name } = splitPath(path);
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, at: number, digits: number) =>
    header.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
  header.write(name, 0);
  octal(isExecutable ? 0o755 : 0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(content.length, 124, 11);
  octal(TIME, 136, 11);
  // The sum counts its own field as spaces.
  header.write('        0', 148, 'latin1');
  header.write('ustar\u000000', 257, 'latin1');
  header.write(prefix, 345);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  header[154] = 0;
  return header;
}

/** Splits a path at a `/`, so that both parts fit into their fields. */
function splitPath(path: string): { readonly prefix: string; readonly name: string } {
  const fits = (prefix: string, name: string) =>
    Buffer.byteLength(prefix) <= MAX_PREFIX_BYTES && Buffer.byteLength(name) <= MAX_NAME_BYTES;
  if (fits('', path)) return { prefix: '', name: path };
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (fits(prefix, name)) return { prefix, name };
  }
  throw new Error(`${path} is too long for a tar archive`);
}
