/**
 * Decides on builds by the events of their bucket and of the scanner, which arrive in any order and repeatedly. Each
 * decision is a write under the version of the build as it was read.
 */
import { createHash } from 'node:crypto';
import { retryOptimistically } from '../../../platform/core/optimistic.ts';
import type { Clock, Log, UlidSource } from '../../../platform/core/ports.ts';
import type { PublishedEvent } from '../../../webhooks/core/event.ts';
import { type DueProcessor, nameOf } from '../due.ts';
import { nowSeconds } from '../listings/actions.ts';
import {
  type Build,
  type BuildKey,
  type BuildReason,
  digestOf,
  isFinal,
  KEEP_SECONDS,
  MAX_SCAN_REQUESTS,
  SCAN_SECONDS,
  type ScanVerdict,
} from './build.ts';
import { inspectArchive } from './inspection.ts';
import type { BuildFiles, BuildScanner, BuildStore } from './ports.ts';

/** GuardDuty user guide, "S3 object potential scan status and result status". */
export const SCAN_RESULTS = [
  'NO_THREATS_FOUND',
  'THREATS_FOUND',
  'UNSUPPORTED',
  'ACCESS_DENIED',
  'FAILED',
] as const;
export type ScanResult = (typeof SCAN_RESULTS)[number];

export interface ObjectScan extends BuildKey {
  readonly result: ScanResult;
  readonly threats: readonly string[];
}

export interface ScanDependencies {
  readonly store: BuildStore;
  readonly files: BuildFiles;
  readonly clock: Clock;
  readonly ulid: UlidSource;
  readonly log: Log;
  /** The name of the scanner. */
  readonly engine: string;
}

interface Conclusion {
  readonly status: ScanVerdict;
  readonly reason?: BuildReason | undefined;
  readonly threats?: readonly string[];
}

/** Each further attempt means that another event changed the build. */
const MAX_ATTEMPTS = 8;

/** Scanners report thousands of threats of one file; an event is limited. */
const MAX_THREATS = 20;

/** Records that the upload arrived; a verdict may have arrived before. */
export async function recordUpload(
  { store, clock }: Pick<ScanDependencies, 'store' | 'clock'>,
  key: BuildKey,
): Promise<void> {
  await retryOptimistically(MAX_ATTEMPTS, 'the build', async () => {
    const build = await store.find(key);
    if (build?.status !== 'awaiting_upload') return true;
    const to = { ...build, status: 'scanning', dueAt: nowSeconds(clock) + SCAN_SECONDS } as const;
    return (await store.replace(build, to)) || undefined;
  });
}

/** Decides on the build by a result of the scanner. A clean build that a later scan finds infected becomes infected. */
export async function recordScan(dependencies: ScanDependencies, scan: ObjectScan): Promise<void> {
  const { store, log } = dependencies;
  await retryOptimistically(MAX_ATTEMPTS, 'the build', async () => {
    const build = await store.find(scan);
    if (build === undefined) return true;
    const isQuarantine = build.status === 'clean' && scan.result === 'THREATS_FOUND';
    if (isFinal(build) && !isQuarantine) return true;
    const conclusion = await conclude(dependencies, build, scan);
    if (conclusion === undefined) return true;
    if (!(await replaceBy(dependencies, build, conclusion))) return undefined;
    const { id: buildId, listingId } = build;
    if (isQuarantine) log.error('a clean build was found infected', { buildId, listingId });
    return true;
  });
}

/** Returns undefined if a further scan is needed: it is requested when the result is overdue. */
async function conclude(
  { files }: ScanDependencies,
  build: Build,
  { result, threats }: ObjectScan,
): Promise<Conclusion | undefined> {
  if (result === 'THREATS_FOUND') return { status: 'infected', threats: threats.slice(0, MAX_THREATS) };
  if (result === 'UNSUPPORTED') return { status: 'unsupported', reason: 'scanner' };
  if (result !== 'NO_THREATS_FOUND') return undefined;
  const file = await files.read(build);
  const isSame = file !== undefined && createHash('sha256').update(file).digest('hex') === build.sha256;
  if (!isSame) return { status: 'failed', reason: 'digest' };
  const { reason } = await inspectArchive(file);
  if (reason !== undefined) return { status: 'unsupported', reason };
  // What is downloaded later are the bytes that were hashed and inspected here.
  await files.publish(build, file);
  return { status: 'clean' };
}

/** The processor of due items that are builds. */
export const buildProcessor =
  (dependencies: DueBuildDependencies): DueProcessor =>
  async (due, counts) => {
    await processDueBuild(dependencies, { listingId: due.ownerId, id: nameOf(due) });
    counts.builds += 1;
  };

export interface DueBuildDependencies extends Omit<ScanDependencies, 'files'> {
  readonly scanner: BuildScanner;
  readonly files: Pick<BuildFiles, 'remove'>;
  readonly isListed: (listingId: string) => Promise<boolean>;
}

/** Requests the overdue scan of a build again, or ends its wait; checks and removes its artifact. */
export async function processDueBuild(dependencies: DueBuildDependencies, key: BuildKey): Promise<void> {
  const { store, scanner, clock } = dependencies;
  await retryOptimistically(MAX_ATTEMPTS, 'the build', async () => {
    const build = await store.find(key);
    const now = nowSeconds(clock);
    if (build?.dueAt === undefined || build.dueAt > now) return true;
    if (isFinal(build)) return processArtifact(dependencies, build, now);
    if (build.requests >= MAX_SCAN_REQUESTS)
      return (await replaceBy(dependencies, build, { status: 'failed', reason: 'scanner' })) || undefined;
    if ((await scanner.request(key)) === 'no upload')
      return (await store.replace(build, { ...build, status: 'expired', dueAt: undefined })) || undefined;
    const to = { ...build, requests: build.requests + 1, dueAt: now + SCAN_SECONDS };
    return (await store.replace(build, to)) || undefined;
  });
}

/**
 * Checks the artifact of a clean build each month: a deleted listing has no releases any more. The build expires before
 * its artifact is removed, so no release can offer what is gone. Returns undefined while something remains to be done.
 */
async function processArtifact(
  { store, files, isListed }: DueBuildDependencies,
  build: Build,
  now: number,
): Promise<true | undefined> {
  if (build.status === 'clean') {
    const dueAt = now + KEEP_SECONDS;
    const to: Build = build.released
      ? { ...build, released: await isListed(build.listingId), dueAt }
      : { ...build, status: 'expired' };
    return (await store.replace(build, to)) && build.released ? true : undefined;
  }
  await files.remove(build);
  return (await store.replace(build, { ...build, dueAt: undefined })) || undefined;
}

function replaceBy(
  { store, clock, ulid, engine }: Pick<ScanDependencies, 'store' | 'clock' | 'ulid' | 'engine'>,
  build: Build,
  { status, reason, threats = [] }: Conclusion,
): Promise<boolean> {
  const scanned = nowSeconds(clock);
  const hasArtifact = status === 'clean' || build.status === 'clean';
  const dueAt = hasArtifact ? scanned + KEEP_SECONDS : undefined;
  const to = { ...build, status, reason, threats, engine, scanned, dueAt };
  return store.replace(build, to, scannedEvent(ulid, to, build));
}

/** The event states the earlier status of a clean build that becomes infected: a rule pages the operator by it. */
const scannedEvent = (ulid: UlidSource, build: Build, from: Build): PublishedEvent => ({
  id: `evt_${ulid()}`,
  type: 'app.build.scanned',
  accountId: build.ownerId,
  data: {
    build_id: build.id,
    listing_id: build.listingId,
    verdict: build.status,
    digest: digestOf(build),
    size: build.size,
    engine: { name: build.engine },
    threats: build.threats,
    reason: build.reason ?? null,
    scanned_at: build.scanned,
    ...(from.status === 'clean' ? { previous: { status: from.status } } : {}),
  },
});
