/** Zip files that tests build byte by byte, well-formed unless a test changes a field. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipMember {
  readonly name: string | Buffer;
  readonly content: Buffer;
  readonly method?: number;
  /** The content as a method compresses it that is none of `zlib`. */
  readonly compressed?: Buffer;
  /** Replace what the headers specify. */
  readonly flags?: number;
  readonly crc?: number;
  readonly size?: number;
  readonly mode?: number;
  /** Replace fields of the local header alone. */
  readonly local?: { readonly name?: string; readonly extra?: Buffer; readonly sizes?: number };
  /** `unsigned`: without its signature. */
  readonly descriptor?: boolean | 'unsigned';
  /** True if the directory does not list it. */
  readonly unlisted?: boolean;
}

interface ZipFields {
  readonly disk?: number;
  readonly comment?: Buffer;
  readonly before?: Buffer;
  readonly between?: Buffer;
}

const u16 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, 2 * index);
  return bytes;
};

const u32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index);
  return bytes;
};

const deflatedContents = new WeakMap<Buffer, Buffer>();

/** Deflates content that several members have once. */
function deflate(content: Buffer): Buffer {
  const deflated = deflatedContents.get(content) ?? deflateRawSync(content, { level: 9 });
  deflatedContents.set(content, deflated);
  return deflated;
}

function encodeMember(member: ZipMember, offset: number) {
  const { content, method = 8, descriptor = false, local = {} } = member;
  const name = Buffer.from(member.name);
  const { mode = name.at(-1) === 0x2f ? 0o040755 : 0o100644 } = member;
  const flags = (member.flags ?? 0) | (descriptor ? 8 : 0);
  const data = member.compressed ?? (method === 8 ? deflate(content) : content);
  const sums = u32(member.crc ?? crc32(content), data.length, member.size ?? content.length);
  const { extra = Buffer.alloc(0), sizes } = local;
  const localName = Buffer.from(local.name ?? name);
  const localSums =
    sizes === undefined
      ? descriptor
        ? u32(0, 0, 0)
        : sums
      : Buffer.concat([sums.subarray(0, 4), u32(sizes, sizes)]);
  const head = Buffer.concat([u16(flags, method, 0, 0x21), localSums, u16(localName.length, extra.length)]);
  const signature = descriptor === true ? u32(0x08074b50) : Buffer.alloc(0);
  const end = descriptor ? Buffer.concat([signature, sums]) : Buffer.alloc(0);
  const entry = Buffer.concat([
    Buffer.concat([u32(0x02014b50), u16((3 << 8) | 20, 20, flags, method, 0, 0x21), sums]),
    Buffer.concat([u16(name.length, 0, 0, 0, 0), u32((mode << 16) >>> 0, offset), name]),
  ]);
  return { bytes: Buffer.concat([u32(0x04034b50), u16(20), head, localName, extra, data, end]), entry };
}

export function zip(members: readonly ZipMember[], fields: ZipFields = {}): Buffer {
  const none = Buffer.alloc(0);
  const { disk = 0, comment = none, before = none, between = none } = fields;
  const body: Buffer[] = [before];
  let length = before.length;
  const entries: Buffer[] = [];
  for (const member of members) {
    const { bytes, entry } = encodeMember(member, length);
    body.push(bytes, between);
    length += bytes.length + between.length;
    if (!member.unlisted) entries.push(entry);
  }
  const directory = Buffer.concat(entries);
  const counts = u16(disk, disk, entries.length, entries.length);
  const end = Buffer.concat([u32(0x06054b50), counts, u32(directory.length, length), u16(comment.length)]);
  return Buffer.concat([...body, directory, end, comment]);
}
