/** Archives in which a scanner misses what a program extracts, or that take more than their size, each with its reason. */
import { deflateRawSync, gzipSync } from 'node:zlib';
import type { RejectionReason } from '../core/builds/rejection.ts';
import { type ZipMember, zip } from './archives.ts';

export interface HostileArchive {
  readonly title: string;
  readonly reason: RejectionReason;
  readonly file: () => Buffer;
}

/** The test file of EICAR, whose parts are separate so that no scanner reports this source. */
export const EICAR = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}', '$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!', '$H+H*'].join(''),
);

const eicar: ZipMember = { name: 'eicar.com', content: EICAR };
const readme: ZipMember = { name: 'README.md', content: Buffer.from('# An app\n') };
const MIB = 1024 * 1024;

/** Random enough that it does not compress, and the same in each run. */
export function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 0x2545f491;
  for (let index = 0; index < length; index += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[index] = state;
  }
  return bytes;
}

const zip64Extra = (size: number, deflatedSize: number): Buffer => {
  const extra = Buffer.alloc(20);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(16, 2);
  extra.writeBigUInt64LE(BigInt(size), 4);
  extra.writeBigUInt64LE(BigInt(deflatedSize), 12);
  return extra;
};

/** The test file as Python's `zipfile` compresses it by LZMA (flags 2: the end is marked). */
const LZMA_EICAR = Buffer.from(
  '090405005d00008000002c0d45e2234b3809fe242c5b4b369031dc4b2435b632dfaf314c3cdfcf3a4b7573e58bc87e89b3805ef7941f8da9c31efa496c05fc84055a71fc39ba92658b9743a7dd785097bfffc418a000',
  'hex',
);

/** The header of a tar file, except for what no inspection reads. */
const TAR_HEADER = Buffer.alloc(512);
TAR_HEADER.write('ustar\x0000', 257, 'latin1');

const nested = (depth: number): Buffer =>
  depth === 0 ? zip([eicar]) : zip([{ name: `level-${depth}.zip`, content: nested(depth - 1) }]);

/** The flag of names in UTF-8. */
const UTF8 = 0x0800;

const inZip = (member: ZipMember) => () => zip([readme, member]);

/** The four cases in which ClamAV 1.4 reports no threat although the extracted archive has the test file. */
export const UNSCANNED: readonly HostileArchive[] = [
  {
    title: 'a local header in zip64',
    reason: 'zip64',
    file: () => {
      const extra = zip64Extra(EICAR.length, deflateRawSync(EICAR, { level: 9 }).length);
      return zip([readme, { ...eicar, local: { extra, sizes: 0xffffffff } }]);
    },
  },
  {
    title: 'a member compressed by LZMA',
    reason: 'compression_method',
    file: inZip({ ...eicar, method: 14, compressed: LZMA_EICAR, flags: 2 }),
  },
  {
    title: 'a member that the directory does not list',
    reason: 'hidden_bytes',
    file: inZip({ ...eicar, unlisted: true }),
  },
  {
    title: 'a member above the largest size, with a threat at its end',
    reason: 'member_too_large',
    file: inZip({ name: 'large.bin', content: Buffer.concat([Buffer.alloc(101 * MIB), EICAR]) }),
  },
];

export const HOSTILE_ARCHIVES: readonly HostileArchive[] = [
  ...UNSCANNED,
  { title: 'an encrypted member', reason: 'encrypted', file: inZip({ ...eicar, flags: 1 }) },
  { title: 'a zip of several disks', reason: 'several_disks', file: () => zip([readme], { disk: 1 }) },
  {
    title: 'a local header with another name',
    reason: 'headers_differ',
    file: inZip({ ...eicar, local: { name: 'eicar.txt' } }),
  },
  {
    title: 'bytes before the first member',
    reason: 'hidden_bytes',
    file: () => zip([readme], { before: zip([eicar]) }),
  },
  {
    title: 'bytes between members',
    reason: 'hidden_bytes',
    file: () => zip([readme, eicar], { between: EICAR }),
  },
  {
    title: 'bytes after the directory',
    reason: 'hidden_bytes',
    file: () => Buffer.concat([zip([readme]), EICAR]),
  },
  {
    title: 'bytes after the end of a compressed member',
    reason: 'hidden_bytes',
    file: inZip({ ...readme, name: 'a', compressed: Buffer.concat([deflateRawSync(readme.content), EICAR]) }),
  },
  { title: 'a wrong checksum', reason: 'corrupt', file: inZip({ ...eicar, crc: 1 }) },
  { title: 'a member longer than its size', reason: 'corrupt', file: inZip({ ...eicar, size: 10 }) },
  {
    title: 'a link',
    reason: 'link',
    file: inZip({ name: 'etc', content: Buffer.from('/etc'), mode: 0o120777 }),
  },
  { title: 'a device', reason: 'link', file: inZip({ ...eicar, mode: 0o060644 }) },
  { title: 'an absolute name', reason: 'name', file: inZip({ ...eicar, name: '/etc/passwd' }) },
  { title: 'a name that leaves the folder', reason: 'name', file: inZip({ ...eicar, name: 'a/../../b' }) },
  { title: 'a name with a backslash', reason: 'name', file: inZip({ ...eicar, name: '..\\b' }) },
  { title: 'a name with a drive', reason: 'name', file: inZip({ ...eicar, name: 'C:b' }) },
  { title: 'a name with NUL', reason: 'name', file: inZip({ ...eicar, name: 'a.txt\0.exe' }) },
  ...Object.entries({
    'a file of a stream': 'a.txt:ads',
    'a blank at the end of a folder': 'a /b',
    'a blank behind dots': '.. /evil',
    'a dot at its end': 'a.',
    'a device of Windows': 'a/CON',
    'a device of Windows and an ending': 'nul.txt',
    'a device of Windows with a raised digit': 'com¹',
    'a character that Windows replaces': 'a?b',
    'a mark that turns its direction': 'a\u202egnp.exe',
    'a character of no width': 'a\u200bb',
    'a separator of lines': 'a\u2028b',
    'a control of C1': 'a\u0085b',
  }).map(([what, name]) => ({
    title: `a name with ${what}`,
    reason: 'name' as const,
    file: inZip({ ...eicar, name, flags: UTF8 }),
  })),
  {
    title: 'a name beyond ASCII without the flag of UTF-8',
    reason: 'name',
    file: inZip({ ...eicar, name: 'ä' }),
  },
  ...Object.entries({
    straße: 'STRASSE',
    '\u00e9': 'E\u0301',
    '\ufb01': 'FI',
    '\u212a': 'k',
    ὀδός: 'ὈΔΌΣ',
  }).map(([one, other]) => ({
    title: `the name ${other} next to ${one}`,
    reason: 'repeated_name' as const,
    file: () => zip([one, other].map((name) => ({ ...readme, name, flags: UTF8 }))),
  })),
  {
    title: 'a folder by its attributes that is a file by its name',
    reason: 'headers_differ',
    file: inZip({ ...readme, name: 'a', mode: 0o040755 }),
  },
  {
    title: 'a file by its attributes that is a folder by its name',
    reason: 'headers_differ',
    file: inZip({ name: 'a/', content: Buffer.alloc(0), mode: 0o100644 }),
  },
  {
    title: 'a stored member with a descriptor, whose data have another member',
    reason: 'headers_differ',
    file: () => {
      const start = zip([{ name: 'readme.txt', content: Buffer.from('abc'), method: 0, descriptor: true }]);
      const evil = zip([{ name: '../evil.sh', content: EICAR, method: 0 }]);
      // The content begins like the end of a member of three bytes.
      const content = Buffer.concat([start.subarray(40, 59), evil]);
      return zip([{ name: 'readme.txt', content, method: 0, descriptor: true }]);
    },
  },
  {
    title: 'an empty stored member with a descriptor',
    reason: 'headers_differ',
    file: inZip({ name: 'empty', content: Buffer.alloc(0), method: 0, descriptor: true }),
  },
  {
    title: 'a descriptor without its signature',
    reason: 'hidden_bytes',
    file: inZip({ ...readme, name: 'a', descriptor: 'unsigned' }),
  },
  {
    title: 'a name that is not UTF-8',
    reason: 'name',
    file: inZip({ ...eicar, name: Buffer.from([0x61, 0xff]), flags: UTF8 }),
  },
  {
    title: 'a name that repeats in another case',
    reason: 'repeated_name',
    file: inZip({ ...eicar, name: 'readme.MD' }),
  },
  {
    title: 'a file in the place of a folder',
    reason: 'repeated_name',
    file: inZip({ ...eicar, name: 'README.md/a' }),
  },
  {
    title: 'an archive of another format in a zip',
    reason: 'nested_format',
    file: inZip({ name: 'a.7z', content: Buffer.from('377abcaf271c0004', 'hex') }),
  },
  {
    title: 'a gzip file in a zip',
    reason: 'nested_format',
    file: inZip({ name: 'eicar.gz', content: gzipSync(EICAR) }),
  },
  {
    title: 'a tar file in a zip',
    reason: 'nested_format',
    file: inZip({ name: 'a.tar', content: TAR_HEADER }),
  },
  {
    title: 'a zip behind another file',
    reason: 'hidden_bytes',
    file: inZip({ name: 'a.png', content: Buffer.concat([noise(64), zip([eicar])]) }),
  },
  { title: 'archives four deep in archives', reason: 'nested_too_deep', file: () => nested(4) },
  {
    title: 'a bomb of zeros',
    reason: 'ratio',
    file: () => zip([{ name: 'zeros', content: Buffer.alloc(60 * MIB) }]),
  },
  {
    title: 'a nested bomb of zeros',
    reason: 'ratio',
    file: () => zip([{ name: 'a.zip', content: zip([{ name: 'zeros', content: Buffer.alloc(60 * MIB) }]) }]),
  },
  {
    title: 'a bomb behind incompressible bytes',
    reason: 'extracted_too_large',
    file: () => {
      const zeros = Buffer.alloc(50 * MIB);
      const members = Array.from({ length: 6 }, (_, index) => ({ name: `${index}`, content: zeros }));
      return zip([{ name: 'noise', content: noise(4 * MIB), method: 0 }, ...members]);
    },
  },
  {
    title: 'more entries than a scanner reads',
    reason: 'too_many_entries',
    file: () => zip(Array.from({ length: 10_001 }, (_, index) => ({ ...readme, name: `${index}` }))),
  },
  { title: 'a file above the largest size', reason: 'too_large', file: () => Buffer.alloc(50 * MIB + 1) },
  { title: 'no archive', reason: 'not_a_zip', file: () => EICAR },
  { title: 'a compressed tar file', reason: 'not_a_zip', file: () => gzipSync(TAR_HEADER) },
  { title: 'a tar file', reason: 'not_a_zip', file: () => TAR_HEADER },
];
