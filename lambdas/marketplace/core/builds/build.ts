/**
 * Builds of a listing: a zip that its owner uploads, which is released only when it is clean.
 *
 * | Scanner | Inspection | Build |
 * |---|---|---|
 * | no threats | accepted | `clean` |
 * | no threats | rejected | `unsupported`, with the reason |
 * | threats | – | `infected`, with their names |
 * | not supported | – | `unsupported` |
 * | failed, or no result | – | requested again three times, then `failed` |
 */
import * as z from 'zod';
import { pageQuery } from '../../../platform/core/api/paging.ts';
import { type Body, idOf, seconds } from '../../../platform/core/api/response-schema.ts';
import { ARCHIVE_LIMITS, REJECTION_REASONS, type RejectionReason } from './rejection.ts';

export const BUILD_STATUSES = [
  'awaiting_upload',
  'scanning',
  'clean',
  'infected',
  'unsupported',
  'failed',
  'expired',
] as const;
type BuildStatus = (typeof BUILD_STATUSES)[number];

/** Reasons other than those of an inspection: the scanner, or stored bytes with another digest. */
const BUILD_REASONS = [...REJECTION_REASONS, 'scanner', 'digest'] as const;
export type BuildReason = RejectionReason | 'scanner' | 'digest';

/** The ids of a build, which name its upload too. */
export interface BuildKey {
  readonly listingId: string;
  /** `build_<ulid>`. */
  readonly id: string;
}

/** Goes before the id in the store. */
export const BUILD_PREFIX = 'build#';

export interface Build extends BuildKey {
  readonly ownerId: string;
  readonly filename: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256, hexadecimal, in lower case. */
  readonly sha256: string;
  readonly status: BuildStatus;
  readonly reason?: BuildReason | undefined;
  readonly threats: readonly string[];
  /** The program that scanned it. */
  readonly engine?: string | undefined;
  /** The number of scans that were requested because no result arrived. */
  readonly requests: number;
  /** A release offered it when it was last checked. */
  readonly released: boolean;
  /** Seconds since the epoch, as all that follow. */
  readonly created: number;
  readonly scanned?: number | undefined;
  /** The time at which a result is overdue, or the artifact is to be checked or removed; undefined if nothing is to be done. */
  readonly dueAt?: number | undefined;
  /** Counts the changes. */
  readonly version: number;
}

/** Seconds in which a presigned upload is valid. */
export const UPLOAD_SECONDS = 900;
/** Without an upload in this time, a build expires. */
export const AWAIT_SECONDS = 3600;
/** A scan takes seconds; one without a result is requested again. */
export const SCAN_SECONDS = 900;
export const MAX_SCAN_REQUESTS = 3;
/** An artifact that no release offers, or that is in quarantine, is removed after this time. */
export const KEEP_SECONDS = 30 * 86_400;
/** Seconds in which a presigned download is valid. */
export const DOWNLOAD_SECONDS = 300;

export const isFinal = ({ status }: Pick<Build, 'status'>): boolean =>
  status !== 'awaiting_upload' && status !== 'scanning';

/** Events publish the status of a build except that it expired. */
export type ScanVerdict = Exclude<BuildStatus, 'awaiting_upload' | 'scanning' | 'expired'>;

export const digestOf = ({ sha256 }: Pick<Build, 'sha256'>): string => `sha256:${sha256}`;

export const newBuild = z.object({
  filename: z
    .string()
    .max(128)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*\.zip$/, 'must be the name of a .zip file: a build is packed as zip'),
  size: z.int().min(1).max(ARCHIVE_LIMITS.fileBytes).describe('Bytes.'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be SHA-256 in hexadecimal')
    .describe('SHA-256 of the file, hexadecimal: the upload of other bytes fails.'),
});

export const buildsQuery = pageQuery();

export const buildSchema = z.object({
  id: idOf('build'),
  object: z.literal('build'),
  listing_id: idOf('lst'),
  filename: z.string(),
  size: z.int(),
  digest: z.string().describe('`sha256:` and the SHA-256 of the file.'),
  status: z.enum(BUILD_STATUSES),
  reason: z.enum(BUILD_REASONS).nullable().describe('The reason for which it is `unsupported` or `failed`.'),
  threats: z.array(z.string()).describe('The names that the scanner gives them.'),
  engine: z
    .object({ name: z.string() })
    .nullable()
    .describe('The scanner; `test-signature` finds the EICAR test file only, and is no malware scan.'),
  created: seconds,
  scanned: seconds.nullable().describe('Seconds since the epoch; `null` before.'),
});

export const uploadSchema = buildSchema.extend({
  upload: z.object({
    method: z.literal('PUT'),
    url: z.string(),
    headers: z.record(z.string(), z.string()).describe('The upload must send exactly these.'),
    expires: seconds,
  }),
});

export const artifactSchema = z.object({
  object: z.literal('artifact'),
  url: z.string(),
  digest: z.string().describe('`sha256:` and the SHA-256 of the file.'),
  size: z.int(),
  expires: seconds,
});

export const buildEntry = (build: Build): Body<typeof buildSchema> => ({
  id: build.id,
  object: 'build',
  listing_id: build.listingId,
  filename: build.filename,
  size: build.size,
  digest: digestOf(build),
  status: build.status,
  reason: build.reason ?? null,
  threats: build.threats,
  engine: build.engine === undefined ? null : { name: build.engine },
  created: build.created,
  scanned: build.scanned ?? null,
});
