/**
 * Inspects an archive before anyone may download it. A scanner that cannot open a member reports no threat, so an archive is
 * accepted only if each of its bytes is in a member that every program extracts alike, and in the limits of the scanners.
 *
 * It holds the file, and those members that are archives themselves, which count as extracted: at most
 * `fileBytes + extractedBytes`, and one chunk. It reads each byte once.
 */
import { ByteReader } from './byte-reader.ts';
import { gunzip, isGzip } from './deflate.ts';
import { type ArchiveMember, MemberNames } from './member.ts';
import {
  ARCHIVE_LIMITS,
  ArchiveRejection,
  ExtractionBudget,
  ensure,
  type RejectionReason,
} from './rejection.ts';
import { isTar, readTar, TAR_HEAD } from './tar.ts';
import { endsAsZip, isZip, readZip, ZIP_TAIL } from './zip.ts';

export interface Inspection {
  /** Undefined if the archive is accepted. */
  readonly reason?: RejectionReason | undefined;
  readonly entries: number;
  /** Bytes. */
  readonly extracted: number;
}

export interface InspectionOptions {
  /** Returns an observer of the chunks of a member's content. */
  readonly observe?: () => (chunk: Buffer) => void;
}

/** Accepts zip files, and gzip files of a tar file. */
export async function inspectArchive(file: Buffer, options: InspectionOptions = {}): Promise<Inspection> {
  let budget: ExtractionBudget | undefined;
  try {
    budget = new ExtractionBudget(file.length);
    await new Inspector(budget, options).inspect(file);
    return { entries: budget.entries, extracted: budget.extracted };
  } catch (failure) {
    if (!(failure instanceof ArchiveRejection)) throw failure;
    return { reason: failure.reason, entries: budget?.entries ?? 0, extracted: budget?.extracted ?? 0 };
  }
}

type ArchiveFormat = 'zip' | 'gzip' | 'tar' | 'other';

/** The first bytes of archives that are not opened. Sources: the formats' own documents, and `file(1)`. */
const OTHER_ARCHIVES: readonly Buffer[] = [
  '377abcaf271c', // 7z
  '526172211a07', // rar
  'fd377a585a00', // xz
  '5d00008000', // lzma
  '28b52ffd', // zstd
  '425a68', // bzip2
  '4d534346', // cab
  '04224d18', // lz4
  '02214c18', // lz4, old
  '1f9d', // compress
  '1fa0', // compress, lzh
  '60ea', // arj
  '4c5a4950', // lzip
  '504b3030', // zip, spanned
  '504b0708', // zip, split
  '213c617263683e0a', // ar
  '78617221', // xar
  '2d6c68', // lha, after two bytes
].map((hex) => Buffer.from(hex, 'hex'));

/** The method of an lha header follows its size and its checksum. */
const isOther = (head: Buffer): boolean =>
  OTHER_ARCHIVES.some((magic) => {
    const start = magic.toString('latin1').startsWith('-lh') ? 2 : 0;
    return head.subarray(start, start + magic.length).equals(magic);
  });

function formatOf(head: Buffer): ArchiveFormat | undefined {
  if (isZip(head)) return 'zip';
  if (isGzip(head)) return 'gzip';
  if (isTar(head)) return 'tar';
  return isOther(head) ? 'other' : undefined;
}

class Inspector {
  readonly #budget: ExtractionBudget;
  readonly #options: InspectionOptions;

  constructor(budget: ExtractionBudget, options: InspectionOptions) {
    this.#budget = budget;
    this.#options = options;
  }

  async inspect(file: Buffer): Promise<void> {
    if (isZip(file)) return this.#readMembers(readZip(file, this.#budget), 0);
    ensure(isGzip(file), 'not_an_archive');
    const reader = new ByteReader(gunzip(file));
    ensure(isTar(await reader.peek(TAR_HEAD)), 'not_an_archive');
    return this.#readMembers(readTar(reader, this.#budget), 0);
  }

  /** Opens a member that is an archive. A gzip file of anything but a tar file has one member. */
  async #inspectNested(file: Buffer, format: ArchiveFormat, depth: number): Promise<void> {
    ensure(format !== 'other', 'nested_format');
    ensure(depth <= ARCHIVE_LIMITS.depth, 'nested_too_deep');
    if (format === 'zip') return this.#readMembers(readZip(file, this.#budget), depth);
    const reader = new ByteReader(format === 'gzip' ? gunzip(file) : once(file));
    if (isTar(await reader.peek(TAR_HEAD))) return this.#readMembers(readTar(reader, this.#budget), depth);
    this.#budget.addEntries(1);
    return this.#readContent(reader.rest(), depth);
  }

  async #readMembers(members: AsyncIterable<ArchiveMember>, depth: number): Promise<void> {
    const names = new MemberNames();
    for await (const member of members) {
      names.add(member);
      if (member.isDirectory) ensure(member.size === 0, 'hidden_bytes');
      await this.#readContent(member.content, depth);
    }
  }

  async #readContent(content: AsyncIterable<Buffer>, depth: number): Promise<void> {
    const observe = this.#options.observe?.();
    const reader = new ByteReader(this.#count(content, observe));
    const format = formatOf(await reader.peek(TAR_HEAD));
    if (format !== undefined) {
      const chunks: Buffer[] = [];
      for await (const chunk of reader.rest()) chunks.push(chunk);
      await this.#inspectNested(Buffer.concat(chunks), format, depth + 1);
      return;
    }
    let tail: Buffer = Buffer.alloc(0);
    for await (const chunk of reader.rest())
      tail =
        chunk.length >= ZIP_TAIL
          ? Buffer.from(chunk.subarray(-ZIP_TAIL))
          : Buffer.concat([tail, chunk]).subarray(-ZIP_TAIL);
    // A program that reads a zip from its end would open it; one that reads it from its start would not.
    ensure(!endsAsZip(tail), 'hidden_bytes');
  }

  async *#count(content: AsyncIterable<Buffer>, observe?: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const chunk of content) {
      size += chunk.length;
      ensure(size <= ARCHIVE_LIMITS.memberBytes, 'member_too_large');
      this.#budget.addBytes(chunk.length);
      observe?.(chunk);
      yield chunk;
    }
  }
}

async function* once(file: Buffer): AsyncGenerator<Buffer> {
  yield file;
}
