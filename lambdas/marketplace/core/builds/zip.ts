/**
 * Zip files, of which each byte belongs to an entry or to the directory. Programs read a zip by its directory or by its local
 * headers: both must specify the same members. Source: PKWARE APPNOTE.TXT 6.3.10, sections 4.3 to 4.5.
 */
import { checked, inflate } from './deflate.ts';
import { type ArchiveMember, decodeName } from './member.ts';
import { ARCHIVE_LIMITS, type ExtractionBudget, ensure } from './rejection.ts';

const LOCAL_HEADER = 0x04034b50;
const DIRECTORY_HEADER = 0x02014b50;
const DIRECTORY_END = 0x06054b50;
const DESCRIPTOR = 0x08074b50;

const LOCAL_SIZE = 30;
const DIRECTORY_SIZE = 46;
const END_SIZE = 22;

/** `git archive` writes the id of the commit as a comment. */
const MAX_COMMENT = 256;

const STORED = 0;
const DEFLATED = 8;

/** 4.4.4: encrypted, strongly encrypted, with an encrypted directory. */
const ENCRYPTED_FLAGS = 0x2041;
/** 4.4.4: the sizes follow the data. */
const DESCRIPTOR_FLAG = 0x0008;
/** 4.4.4: the name is in UTF-8; without the flag, programs read bytes above 0x7f in code pages of their own. */
const UTF8_FLAG = 0x0800;
const MAX_ASCII = 0x7f;
/** 4.4.4: the level of compression, the descriptor, and names in UTF-8. */
const KNOWN_FLAGS = 0x080e;

const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;

/** 4.5: fields that add times and owners. Others could replace the name, the sizes or the method. */
const ZIP64_EXTRA = 0x0001;
const AES_EXTRA = 0x9901;
const UNICODE_PATH_EXTRA = 0x7075;
const HARMLESS_EXTRAS: ReadonlySet<number> = new Set([0x000a, 0x5455, 0x5855, 0x7855, 0x7875, 0xcafe]);

/** 4.4.15: the file type of POSIX in the upper half of the external attributes. */
const FILE_TYPE = 0xf000;
const FOLDER_TYPE = 0x4000;
const PLAIN_TYPE = 0x8000;
/** The attribute of MS-DOS in the lower half. */
const DOS_FOLDER = 0x10;

/** 4.4.3: for zip64; programs reject later ones. */
const MAX_VERSION = 45;

/** An entry, as both of its headers specify it. */
interface ZipHeader {
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly deflatedSize: number;
  readonly size: number;
  readonly name: Buffer;
}

interface ZipEntry extends ZipHeader {
  readonly offset: number;
}

/** Returns whether the bytes start as a zip file, which may be empty. */
export const isZip = (bytes: Buffer): boolean =>
  bytes.length >= 4 && [LOCAL_HEADER, DIRECTORY_END].includes(bytes.readUInt32LE(0));

/** Returns whether the bytes are the end of a zip file. */
export const endsAsZip = (tail: Buffer): boolean => findEnd(tail) !== undefined;

/** The number of bytes in which a zip file may end. */
export const ZIP_TAIL = END_SIZE + MAX_COMMENT;

/** Reads the members in the order of their data. */
export async function* readZip(file: Buffer, budget: ExtractionBudget): AsyncGenerator<ArchiveMember> {
  const { entries, start } = readDirectory(file, budget);
  const ordered = entries.toSorted((one, other) => one.offset - other.offset);
  let position = 0;
  for (const [index, entry] of ordered.entries()) {
    ensure(entry.offset === position, 'hidden_bytes');
    const data = readLocal(file, entry);
    const end = data + entry.deflatedSize;
    const next = ordered[index + 1]?.offset ?? start;
    ensure(end <= next, 'headers_differ');
    if ((entry.flags & DESCRIPTOR_FLAG) !== 0) readDescriptor(file.subarray(end, next), entry);
    else ensure(end === next, 'hidden_bytes');
    position = next;
    yield memberOf(entry, file.subarray(data, end));
  }
  ensure(position === start, 'hidden_bytes');
}

function memberOf(entry: ZipEntry, data: Buffer): ArchiveMember {
  const name = decodeName(entry.name);
  ensure(entry.method === DEFLATED || entry.deflatedSize === entry.size, 'corrupt');
  const content = checked(entry.method === DEFLATED ? inflate(data) : [data], entry);
  return { name, isDirectory: name.endsWith('/'), size: entry.size, content };
}

function findEnd(file: Buffer): number | undefined {
  for (let length = 0; length <= MAX_COMMENT && length + END_SIZE <= file.length; length += 1) {
    const position = file.length - END_SIZE - length;
    if (file.readUInt32LE(position) === DIRECTORY_END && file.readUInt16LE(position + 20) === length)
      return position;
  }
  return undefined;
}

/** 4.3.16 */
function readDirectory(
  file: Buffer,
  budget: ExtractionBudget,
): { readonly entries: readonly ZipEntry[]; readonly start: number } {
  const end = findEnd(file);
  ensure(end !== undefined, 'hidden_bytes');
  const isText = file.subarray(end + END_SIZE).every((byte) => byte >= 0x20 && byte < 0x7f);
  ensure(isText, 'hidden_bytes');
  const [disk, startDisk] = [file.readUInt16LE(end + 4), file.readUInt16LE(end + 6)];
  const [onDisk, count] = [file.readUInt16LE(end + 8), file.readUInt16LE(end + 10)];
  const [size, start] = [file.readUInt32LE(end + 12), file.readUInt32LE(end + 16)];
  ensure(count !== MAX_16 && size !== MAX_32 && start !== MAX_32, 'zip64');
  ensure(disk === 0 && startDisk === 0 && onDisk === count, 'several_disks');
  ensure(start + size === end, 'hidden_bytes');
  budget.addEntries(count);
  const entries: ZipEntry[] = [];
  let position = start;
  for (let index = 0; index < count; index += 1) {
    ensure(position + DIRECTORY_SIZE <= end, 'corrupt');
    const length = DIRECTORY_SIZE + namesLengthOf(file, position);
    ensure(position + length <= end, 'corrupt');
    entries.push(readEntry(file.subarray(position, position + length)));
    position += length;
  }
  ensure(position === end, 'hidden_bytes');
  return { entries, start };
}

/** 4.3.12: the name, the extra fields, the comment. */
const namesLengthOf = (file: Buffer, position: number): number =>
  file.readUInt16LE(position + 28) + file.readUInt16LE(position + 30) + file.readUInt16LE(position + 32);

function readEntry(header: Buffer): ZipEntry {
  ensure(header.readUInt32LE(0) === DIRECTORY_HEADER, 'corrupt');
  const nameEnd = DIRECTORY_SIZE + header.readUInt16LE(28);
  const extraEnd = nameEnd + header.readUInt16LE(30);
  ensure(header.readUInt16LE(32) === 0, 'hidden_bytes');
  ensure(header.readUInt16LE(34) === 0, 'several_disks');
  const offset = header.readUInt32LE(42);
  ensure(offset !== MAX_32, 'zip64');
  const entry = { ...fieldsOf(header, 8), name: header.subarray(DIRECTORY_SIZE, nameEnd), offset };
  checkType(header.readUInt32LE(38), entry.name.at(-1) === SLASH);
  checkExtras(header.subarray(nameEnd, extraEnd), entry.name);
  const isAscii = entry.name.every((byte) => byte <= MAX_ASCII);
  ensure(isAscii || (entry.flags & UTF8_FLAG) !== 0, 'name');
  // A program that reads from the start cannot know where stored data end.
  ensure(entry.method === DEFLATED || (entry.flags & DESCRIPTOR_FLAG) === 0, 'headers_differ');
  ensure(entry.size <= ARCHIVE_LIMITS.memberBytes, 'member_too_large');
  return entry;
}

const SLASH = 0x2f;

/** Programs read by the name or by the attributes whether an entry is a folder. */
function checkType(attributes: number, isFolder: boolean): void {
  const type = (attributes >>> 16) & FILE_TYPE;
  ensure(type === 0 || type === FOLDER_TYPE || type === PLAIN_TYPE, 'link');
  ensure(type === 0 || (type === FOLDER_TYPE) === isFolder, 'headers_differ');
  ensure(isFolder || (attributes & DOS_FOLDER) === 0, 'headers_differ');
}

/** Version, flags, method, time, checksum and sizes have the same order in both headers. */
function fieldsOf(header: Buffer, position: number): Omit<ZipHeader, 'name'> {
  ensure((header.readUInt16LE(position - 2) & 0xff) <= MAX_VERSION, 'compression_method');
  const [flags, method] = [header.readUInt16LE(position), header.readUInt16LE(position + 2)];
  const crc = header.readUInt32LE(position + 8);
  const [deflatedSize, size] = [header.readUInt32LE(position + 12), header.readUInt32LE(position + 16)];
  ensure((flags & ENCRYPTED_FLAGS) === 0, 'encrypted');
  ensure((flags & ~KNOWN_FLAGS) === 0, 'compression_method');
  ensure(method === STORED || method === DEFLATED, 'compression_method');
  ensure(deflatedSize !== MAX_32 && size !== MAX_32, 'zip64');
  return { flags, method, crc, deflatedSize, size };
}

/** Compares a local header with the directory, and returns the position of its data. 4.3.7 */
function readLocal(file: Buffer, entry: ZipEntry): number {
  const { offset } = entry;
  ensure(offset + LOCAL_SIZE <= file.length, 'corrupt');
  ensure(file.readUInt32LE(offset) === LOCAL_HEADER, 'headers_differ');
  const nameEnd = offset + LOCAL_SIZE + file.readUInt16LE(offset + 26);
  const data = nameEnd + file.readUInt16LE(offset + 28);
  ensure(data <= file.length, 'corrupt');
  const local = fieldsOf(file.subarray(offset, data), 6);
  checkExtras(file.subarray(nameEnd, data), entry.name);
  const hasDescriptor = (entry.flags & DESCRIPTOR_FLAG) !== 0;
  const isUnset = hasDescriptor && local.crc === 0 && local.size === 0 && local.deflatedSize === 0;
  const isSame =
    local.flags === entry.flags &&
    local.method === entry.method &&
    file.subarray(offset + LOCAL_SIZE, nameEnd).equals(entry.name) &&
    (isUnset || haveSameSizes(local, entry));
  ensure(isSame, 'headers_differ');
  return data;
}

const haveSameSizes = (one: Omit<ZipHeader, 'name'>, other: ZipHeader): boolean =>
  one.crc === other.crc && one.size === other.size && one.deflatedSize === other.deflatedSize;

/** 4.3.9: with its signature, without which some programs find no end. */
function readDescriptor(bytes: Buffer, entry: ZipEntry): void {
  ensure(bytes.length === 16 && bytes.readUInt32LE(0) === DESCRIPTOR, 'hidden_bytes');
  const [crc, deflatedSize, size] = [bytes.readUInt32LE(4), bytes.readUInt32LE(8), bytes.readUInt32LE(12)];
  ensure(haveSameSizes({ ...entry, crc, deflatedSize, size }, entry), 'headers_differ');
}

/** 4.5.1: id, size and data of each field. */
function checkExtras(extras: Buffer, name: Buffer): void {
  for (let position = 0; position < extras.length; ) {
    ensure(position + 4 <= extras.length, 'corrupt');
    const [id, size] = [extras.readUInt16LE(position), extras.readUInt16LE(position + 2)];
    const data = extras.subarray(position + 4, position + 4 + size);
    ensure(data.length === size, 'corrupt');
    ensure(id !== ZIP64_EXTRA, 'zip64');
    ensure(id !== AES_EXTRA, 'encrypted');
    // 4.6.9: version, checksum of the other name, name.
    if (id === UNICODE_PATH_EXTRA) ensure(data.subarray(5).equals(name), 'headers_differ');
    else ensure(HARMLESS_EXTRAS.has(id), 'hidden_bytes');
    position += 4 + size;
  }
}
