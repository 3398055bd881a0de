/** Packages that a ring runs on, each set pinned by the files of a folder, and installed under `node_modules/.cache`. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A registry that takes longer is not reachable. */
export const INSTALL_MS = 180_000;

export interface PackageSet {
  /** The folder of the cache. */
  readonly ring: string;
  /** The folder with the files that pin the set. */
  readonly pins: string;
  /** Installs into a folder that holds a copy of those files. */
  readonly install: (folder: string) => Promise<unknown>;
}

/** The folder of a set, installed at most once for the same pins; rejects when it cannot be had. */
export async function installedFolder({ ring, pins, install }: PackageSet): Promise<string> {
  const hash = createHash('sha256').update(process.arch);
  for (const file of readdirSync(pins).sort()) hash.update(readFileSync(join(pins, file)));
  const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', ring);
  const folder = join(cache, hash.digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}`;
  try {
    cpSync(pins, partial, { recursive: true });
    await install(partial);
    renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
}

/** Makes a Python environment of the folder, with what its `requirements.txt` pins: all of it, and nothing is built here. */
export async function pipInstall(folder: string): Promise<void> {
  await run('python3', ['-m', 'venv', folder], { timeout: INSTALL_MS });
  const exact = ['--no-deps', '--only-binary', ':all:', '--requirement', join(folder, 'requirements.txt')];
  const quiet = ['--quiet', '--no-input', '--disable-pip-version-check', '--no-compile'];
  const python = join(folder, 'bin', 'python');
  await run(python, ['-m', 'pip', 'install', ...quiet, ...exact], { timeout: INSTALL_MS });
}
