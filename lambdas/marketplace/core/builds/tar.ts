/**
 * Tar files of regular files and folders. Sources: POSIX.1-2017, pax, "ustar Interchange Format" and "pax Interchange
 * Format"; GNU tar manual, "Basic Tar Format" (the type `L`).
 */
import type { ByteReader } from './byte-reader.ts';
import { type ArchiveMember, decodeName } from './member.ts';
import { ARCHIVE_LIMITS, type ExtractionBudget, ensure } from './rejection.ts';

const BLOCK = 512;
/** Long names, and the commit's id that `git archive` writes. */
const MAX_EXTENSION_BYTES = 4096;
/** Zeros up to the size of a record, of which tar writes 10 KiB at once by default. */
const MAX_END_BYTES = 1024 * 1024;

interface TarHeader {
  readonly type: string;
  readonly name: Buffer;
  readonly size: number;
}

/** The number of bytes by which a tar file is recognized. */
export const TAR_HEAD = 263;

/** Returns whether the bytes start as a tar file of POSIX or GNU. */
export const isTar = (head: Buffer): boolean =>
  head.length >= TAR_HEAD && head.toString('latin1', 257, 262) === 'ustar';

/** Reads the members. The caller reads the content of each one before the next. */
export async function* readTar(reader: ByteReader, budget: ExtractionBudget): AsyncGenerator<ArchiveMember> {
  let longName: Buffer | undefined;
  for (;;) {
    const block = await reader.read(BLOCK);
    if (block.every((byte) => byte === 0)) break;
    const { type, name, size } = readHeader(block);
    budget.addEntries(1);
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    if (type === 'x' || type === 'g' || type === 'L') {
      ensure(size <= MAX_EXTENSION_BYTES, 'hidden_bytes');
      const data = await reader.read(size);
      longName = (type === 'L' ? data.subarray(0, Math.max(0, size - 1)) : readPax(data)) ?? longName;
    } else {
      ensure(type === '0' || type === '\0' || type === '5', 'link');
      ensure(size <= ARCHIVE_LIMITS.memberBytes, 'member_too_large');
      const text = decodeName(longName ?? name);
      longName = undefined;
      const isDirectory = type === '5' || text.endsWith('/');
      yield { name: text, isDirectory, size, content: reader.stream(size) };
    }
    ensure(
      (await reader.read(padding)).every((byte) => byte === 0),
      'hidden_bytes',
    );
  }
  ensure(longName === undefined, 'corrupt');
  await requireEnd(reader);
}

/** The end is two blocks of zeros, and further zeros. */
async function requireEnd(reader: ByteReader): Promise<void> {
  ensure(
    (await reader.read(BLOCK)).every((byte) => byte === 0),
    'hidden_bytes',
  );
  let length = 0;
  for await (const chunk of reader.rest()) {
    length += chunk.length;
    ensure(length <= MAX_END_BYTES && chunk.every((byte) => byte === 0), 'hidden_bytes');
  }
}

function readHeader(block: Buffer): TarHeader {
  ensure(isTar(block), 'corrupt');
  ensure(readOctal(block, 148, 8) === checksumOf(block), 'corrupt');
  const name = readText(block, 0, 100);
  // GNU has times where POSIX has the start of the name.
  const isPosix = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isPosix ? readText(block, 345, 155) : Buffer.alloc(0);
  return {
    type: block.toString('latin1', 156, 157),
    name: prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name]),
    size: readOctal(block, 124, 12),
  };
}

/** The sum of all bytes, as if the checksum itself were spaces. */
const checksumOf = (block: Buffer): number =>
  block.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);

function readOctal(block: Buffer, start: number, length: number): number {
  const digits = /^ *([0-7]+)[ \0]*$/.exec(block.toString('latin1', start, start + length))?.[1];
  ensure(digits !== undefined, 'corrupt');
  return Number.parseInt(digits, 8);
}

function readText(block: Buffer, start: number, length: number): Buffer {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return end === -1 ? field : field.subarray(0, end);
}

/** Returns the name that extended records set. It throws for records that change what a member is. */
function readPax(data: Buffer): Buffer | undefined {
  let name: Buffer | undefined;
  for (let position = 0; position < data.length; ) {
    const digits = /^([1-9]\d{0,3}) /.exec(data.toString('latin1', position, position + 5))?.[1];
    ensure(digits !== undefined, 'corrupt');
    const record = data.subarray(position, position + Number(digits));
    ensure(record.length === Number(digits) && record.at(-1) === 0x0a, 'corrupt');
    const equals = record.indexOf('=');
    ensure(equals > digits.length, 'corrupt');
    const key = record.toString('utf8', digits.length + 1, equals);
    ensure(!/^(size|linkpath|hdrcharset|GNU\.sparse\..*)$/.test(key), 'headers_differ');
    if (key === 'path') name = record.subarray(equals + 1, -1);
    position += record.length;
  }
  return name;
}
