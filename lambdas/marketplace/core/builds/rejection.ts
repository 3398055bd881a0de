/** The limits of an archive, and the reasons for which an inspection rejects it. */

const MIB = 1024 * 1024;

/**
 * They are below the limits of the scanners, which skip the remainder of what exceeds theirs and report no threat: ClamAV
 * reads 100 MB of a file and 400 MB of a scan (clamd.conf(5), `MaxFileSize`, `MaxScanSize`); GuardDuty 10,000 files of an
 * archive (GuardDuty user guide, quotas of Malware Protection for S3).
 */
export const ARCHIVE_LIMITS = {
  fileBytes: 50 * MIB,
  /** All members together, those of nested archives and these archives themselves included. */
  extractedBytes: 256 * MIB,
  memberBytes: 64 * MIB,
  /** Entries of all kinds. */
  entries: 10_000,
  /** Archives in archives. */
  depth: 3,
  /** Extracted bytes for each byte of the file, from the first MiB on: text of a small file compresses better. */
  ratio: 100,
  nameBytes: 1024,
  /** Folders of a name: each is compared with the other names. */
  folders: 32,
} as const;

export const REJECTION_REASONS = [
  'too_large',
  'not_a_zip',
  'zip64',
  'encrypted',
  'compression_method',
  'several_disks',
  'headers_differ',
  'hidden_bytes',
  'corrupt',
  'link',
  'name',
  'repeated_name',
  'nested_format',
  'nested_too_deep',
  'too_many_entries',
  'member_too_large',
  'extracted_too_large',
  'ratio',
] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** An archive that a scanner may read differently from the program that extracts it. */
export class ArchiveRejection extends Error {
  readonly reason: RejectionReason;

  constructor(reason: RejectionReason) {
    super(`the archive is rejected: ${reason}`);
    this.reason = reason;
  }
}

/** Throws the rejection unless the condition holds. */
export function ensure(condition: boolean, reason: RejectionReason): asserts condition {
  if (!condition) throw new ArchiveRejection(reason);
}

/** The bytes and entries that an inspection has extracted so far. It throws at the first byte beyond a limit. */
export class ExtractionBudget {
  readonly #fileBytes: number;
  #entries = 0;
  #extracted = 0;

  constructor(fileBytes: number) {
    ensure(fileBytes <= ARCHIVE_LIMITS.fileBytes, 'too_large');
    this.#fileBytes = fileBytes;
  }

  get entries(): number {
    return this.#entries;
  }

  get extracted(): number {
    return this.#extracted;
  }

  addEntries(count: number): void {
    this.#entries += count;
    ensure(this.#entries <= ARCHIVE_LIMITS.entries, 'too_many_entries');
  }

  addBytes(count: number): void {
    this.#extracted += count;
    ensure(this.#extracted <= ARCHIVE_LIMITS.extractedBytes, 'extracted_too_large');
    const isBomb = this.#extracted > MIB && this.#extracted > ARCHIVE_LIMITS.ratio * this.#fileBytes;
    ensure(!isBomb, 'ratio');
  }
}
