/** Zips within the format and slightly outside it, and what the inspection says of them. */
import * as fc from 'fast-check';
import { inspectArchive } from '../../lambdas/marketplace/core/builds/inspection.ts';
import { ExtractionBudget } from '../../lambdas/marketplace/core/builds/rejection.ts';
import { readZip } from '../../lambdas/marketplace/core/builds/zip.ts';
import { type ZipMember, zip } from '../../lambdas/marketplace/testing/archives.ts';
import { type Member, memberOf } from './readers.ts';

const UTF8 = 0x0800;

const inner = zip([{ name: '../inner.sh', content: Buffer.from('echo inner\n'), method: 0 }]);

/** The end of a member that has no sizes in its header, as programs look for it in data. */
const descriptor = Buffer.from('504b0708000000000300000003000000', 'hex');

const CONTENTS: readonly Buffer[] = [
  Buffer.alloc(0),
  Buffer.from('one\n'),
  Buffer.from('x'.repeat(3_000)),
  inner.subarray(0, -22),
  Buffer.concat([Buffer.from('abc'), descriptor, inner.subarray(0, 60)]),
  descriptor,
  zip([{ name: 'nested', content: Buffer.from('nested') }]),
];

const NAMES = [
  'a',
  'b.txt',
  'folder/c',
  'folder/',
  'folder/d/',
  './',
  './e',
  'f/./g',
  'ä/ö.txt',
  '日本',
  'e\u0301',
  'A',
  'a/b',
  '../up',
  '/root',
  'h//i',
  'a:b',
  'trailing.',
  'con',
  'x\u202ey',
  'STRASSE',
  'straße',
  'c\\d',
];

const EXTRAS: readonly Buffer[] = [
  Buffer.alloc(0),
  // A time, as Info-ZIP writes it; a path in Unicode of another name; zip64 without need.
  Buffer.from('5554050001000000a0'.slice(0, 18), 'hex'),
  Buffer.from('7570080001000000006f7468', 'hex'),
  Buffer.from('0100000000', 'hex').subarray(0, 4),
];

const rarely = <T>(common: T, ...rare: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(common) }, { weight: 1, arbitrary: fc.constantFrom(...rare) });

const member: fc.Arbitrary<ZipMember> = fc
  .record({
    name: fc.constantFrom(...NAMES),
    content: fc.constantFrom(...CONTENTS),
    method: fc.constantFrom(8, 8, 0),
    descriptor: fc.constantFrom<boolean | 'unsigned'>(false, true, 'unsigned'),
    flags: rarely(UTF8, 0, UTF8 | 1, UTF8 | 2, UTF8 | 6, UTF8 | 0x20, UTF8 | 0x2000),
    extra: rarely(EXTRAS[0] as Buffer, ...EXTRAS),
    localName: rarely<string | undefined>(undefined, 'other', '../other'),
    mode: rarely<number | undefined>(undefined, 0, 0o040755, 0o100755, 0o120777),
    unlisted: rarely(false, true),
  })
  .map(({ name, content, extra, localName, mode, ...fields }) => ({
    ...fields,
    name,
    content: name.endsWith('/') ? Buffer.alloc(0) : content,
    local: { extra, ...(localName === undefined ? {} : { name: localName }) },
    ...(mode === undefined ? {} : { mode }),
  }));

interface Change {
  /** The number of the header, of all that are found by their signatures, and of its field of 16 bits. */
  readonly header: number;
  readonly field: number;
  readonly value: number;
}

const change: fc.Arbitrary<Change> = fc.record({
  header: fc.nat(20),
  field: fc.nat(22),
  value: fc.oneof(
    fc.constantFrom(
      0,
      1,
      2,
      8,
      0x10,
      0x0a,
      0x14,
      0x2d,
      0x3f,
      0x808,
      0x800,
      0x314,
      0x1314,
      0x41ed,
      0x81a4,
      0xffff,
    ),
    fc.nat(0xffff),
  ),
});

/** Sets a field of 16 bits of a local header, an entry of the directory, or the end. */
function changed(archive: Buffer, { header, field, value }: Change): Buffer {
  const starts: number[] = [];
  for (const signature of ['504b0304', '504b0102', '504b0506', '504b0708'])
    for (
      let at = archive.indexOf(signature, 0, 'hex');
      at !== -1;
      at = archive.indexOf(signature, at + 1, 'hex')
    )
      starts.push(at);
  const position = (starts[header % starts.length] ?? 0) + 4 + 2 * field;
  const bytes = Buffer.from(archive);
  if (position + 2 <= bytes.length) bytes.writeUInt16LE(value, position);
  return bytes;
}

const fields = fc.record({
  comment: rarely(Buffer.alloc(0), Buffer.from('4f2a9c'), Buffer.from('PK\u0005\u0006')),
  before: rarely(Buffer.alloc(0), Buffer.from('#!/bin/sh\n')),
  between: rarely(Buffer.alloc(0), Buffer.from('gap')),
});

/** Two thirds have unchanged headers. */
export const archives: fc.Arbitrary<Buffer> = fc
  .tuple(
    fc.array(member, { maxLength: 4 }),
    fields,
    fc.oneof(fc.constant([]), fc.constant([]), fc.array(change, { maxLength: 2 })),
  )
  .map(([members, around, changes]) => changes.reduce(changed, zip(members, around)));

/** Returns the members that the inspection accepts; undefined if it rejects the archive. */
export async function inspectedMembers(archive: Buffer): Promise<readonly Member[] | undefined> {
  const { reason } = await inspectArchive(archive);
  return reason === undefined ? membersOf(archive) : undefined;
}

async function membersOf(archive: Buffer): Promise<readonly Member[]> {
  const members: Member[] = [];
  for await (const { name, content } of readZip(archive, new ExtractionBudget(archive.length))) {
    const chunks: Buffer[] = [];
    for await (const chunk of content) chunks.push(chunk);
    members.push(memberOf(name, Buffer.concat(chunks)));
  }
  return members;
}
