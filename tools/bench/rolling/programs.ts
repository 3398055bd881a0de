/** The shared host of a release, of this tree, and of the version after it. */
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { bundleHost, PROGRAM } from '../host/bundle.ts';

const RELEASES = join(import.meta.dirname, '..', '..', '..', 'releases');

/** The compressed bundle in the folder of a release. */
const STORED = `${PROGRAM}.br`;

/** `tree`, `candidate` (this tree with a later layout), or the version of a release. */
export type HostVersion = string;

/** Returns the version of the newest release; this tree's if nothing is released. */
export function releasedVersion(): HostVersion {
  const versions = globSync(join(RELEASES, '*', STORED)).map((path) => basename(dirname(path)));
  return versions.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1) ?? 'tree';
}

/** Writes the program of a version to a folder below another, which it returns. */
export async function hostProgram(version: HostVersion, parent: string): Promise<string> {
  const folder = join(parent, version);
  const stored = join(RELEASES, version, STORED);
  if (existsSync(stored)) {
    mkdirSync(folder);
    writeFileSync(join(folder, PROGRAM), brotliDecompressSync(readFileSync(stored)));
  } else await bundleHost(folder, { money: true });
  return folder;
}
