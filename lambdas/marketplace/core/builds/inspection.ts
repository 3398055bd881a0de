/**
 * Inspects a zip before anyone may download it. A scanner that cannot open a member reports no threat, so a zip is
 * accepted only if each of its bytes is in a member that every program extracts alike, and in the limits of the scanners. An
 * archive of another format in it is rejected.
 *
 * It holds the file, and those members that are zips themselves, which count as extracted: at most
 * `fileBytes + extractedBytes`, and one chunk. It reads each byte once.
 */
import { MemberNames } from './member.ts';
import {
  ARCHIVE_LIMITS,
  ArchiveRejection,
  ExtractionBudget,
  ensure,
  type RejectionReason,
} from './rejection.ts';
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

/** Accepts zip files. */
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

/** The first bytes of archives that are not opened. Sources: the formats' own documents, and `file(1)`. */
const OTHER_ARCHIVES: readonly Buffer[] = [
  '1f8b', // gzip
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

/** A tar file of POSIX or GNU has its magic behind the first name and its fields. */
const TAR_MAGIC = Buffer.from('ustar');
const TAR_MAGIC_START = 257;

/** The number of bytes by which an archive is recognized. */
const ARCHIVE_HEAD = TAR_MAGIC_START + TAR_MAGIC.length;

const hasAt = (head: Buffer, start: number, magic: Buffer): boolean =>
  head.subarray(start, start + magic.length).equals(magic);

/** Returns whether the bytes start as an archive that is not opened. The method of an lha header follows two bytes. */
const isOtherArchive = (head: Buffer): boolean =>
  hasAt(head, TAR_MAGIC_START, TAR_MAGIC) ||
  OTHER_ARCHIVES.some((magic) => hasAt(head, magic.toString('latin1').startsWith('-lh') ? 2 : 0, magic));

class Inspector {
  readonly #budget: ExtractionBudget;
  readonly #options: InspectionOptions;

  constructor(budget: ExtractionBudget, options: InspectionOptions) {
    this.#budget = budget;
    this.#options = options;
  }

  /** Inspects a zip that is in `depth` others. */
  async inspect(file: Buffer, depth = 0): Promise<void> {
    ensure(isZip(file), 'not_a_zip');
    ensure(depth <= ARCHIVE_LIMITS.depth, 'nested_too_deep');
    const names = new MemberNames();
    for await (const member of readZip(file, this.#budget)) {
      names.add(member);
      if (member.isDirectory) ensure(member.size === 0, 'hidden_bytes');
      await this.#readContent(member.content, depth);
    }
  }

  async #readContent(content: AsyncIterable<Buffer>, depth: number): Promise<void> {
    const observe = this.#options.observe?.();
    let head: Buffer = Buffer.alloc(0);
    let tail: Buffer = Buffer.alloc(0);
    const nested: Buffer[] = [];
    for await (const chunk of this.#count(content, observe)) {
      if (head.length < ARCHIVE_HEAD)
        head = Buffer.concat([head, chunk.subarray(0, ARCHIVE_HEAD - head.length)]);
      if (head.length < ARCHIVE_HEAD || isZip(head)) nested.push(chunk);
      tail = Buffer.concat([tail, chunk.subarray(-ZIP_TAIL)]).subarray(-ZIP_TAIL);
    }
    ensure(!isOtherArchive(head), 'nested_format');
    if (isZip(head)) return this.inspect(Buffer.concat(nested), depth + 1);
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
