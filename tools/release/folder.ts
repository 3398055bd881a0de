/**
 * The folder of a release. It is written once: `release.json` has the sums of the other files, and `hashes.json`, next to
 * the folders, has that of each `release.json`.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ReleasedLayouts } from './promises.ts';

export interface ReleaseRecord {
  readonly version: string;
  /** The day of its section in CHANGELOG.md. */
  readonly date: string;
  /** The commit whose code it is, which is the one before the folder. */
  readonly commit: string;
  /** The newest layouts that it reads and writes, by kind. */
  readonly layouts: ReleasedLayouts;
}

interface StoredRecord extends ReleaseRecord {
  /** SHA-256 by the name of the file. */
  readonly files: Readonly<Record<string, string>>;
}

const RECORD = 'release.json';
const HASHES = 'hashes.json';

const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;

const writeJson = (path: string, value: unknown): void =>
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

const hashesIn = (releases: string): Readonly<Record<string, string>> =>
  existsSync(join(releases, HASHES)) ? readJson(join(releases, HASHES)) : {};

const sumsOf = (folder: string): StoredRecord['files'] =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name !== RECORD)
      .sort()
      .map((name) => [name, sha256(join(folder, name))]),
  );

/**
 * Writes the folder of a release in `releases`, with the files that `writeFiles` writes. The folder appears only when it
 * is complete. Throws an error if the release has been written before.
 */
export async function writeRelease(
  releases: string,
  record: ReleaseRecord,
  writeFiles: (folder: string) => Promise<void>,
): Promise<string> {
  const { version } = record;
  const folder = join(releases, version);
  const hashes = hashesIn(releases);
  if (existsSync(folder) || version in hashes)
    throw new Error(`${folder} has been written before: a release is never replaced`);
  const unfinished = join(dirname(releases), '.build', `release-${version}`);
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  await writeFiles(unfinished);
  writeJson(join(unfinished, RECORD), { ...record, files: sumsOf(unfinished) });
  mkdirSync(releases, { recursive: true });
  renameSync(unfinished, folder);
  writeJson(join(releases, HASHES), { ...hashes, [version]: sha256(join(folder, RECORD)) });
  return folder;
}

/** Returns why the folders in `releases` are not those that were written: a line for each release that differs. */
export function changedReleases(releases: string): readonly string[] {
  const hashes = hashesIn(releases);
  const folders = existsSync(releases) ? readdirSync(releases).filter((name) => name !== HASHES) : [];
  return [...new Set([...Object.keys(hashes), ...folders])].sort().flatMap((version) => {
    const folder = join(releases, version);
    const record = join(folder, RECORD);
    if (hashes[version] === undefined) return [`${version}: not in ${HASHES}`];
    if (!existsSync(record) || sha256(record) !== hashes[version])
      return [`${version}: ${RECORD} has changed`];
    const { files } = readJson<StoredRecord>(record);
    const sums = sumsOf(folder);
    const changed = Object.keys({ ...files, ...sums }).filter((name) => files[name] !== sums[name]);
    return changed.map((name) => `${version}: ${name} has changed`);
  });
}
