/** Packages that are too heavy for a dependency, at pinned versions, in a cache folder of the user's: installed once. */
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const CACHE = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'unified-inference-service-bench',
);

/** A registry that takes longer is not reachable. */
const QUIET: ExecFileSyncOptions = { stdio: ['ignore', 'ignore', 'pipe'], timeout: 240_000 };

/** Runs `install` in an empty folder once, and returns the folder; one whose installation did not end is made anew. */
export function installedFolder(name: string, install: (folder: string) => void): string {
  const folder = join(CACHE, name);
  const installedFile = join(folder, 'installed');
  if (existsSync(installedFile)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  install(folder);
  writeFileSync(installedFile, '');
  return folder;
}

export function npmInstall(folder: string, manifest: object): void {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...manifest }));
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', ['install', '--prefix', folder, ...quiet], { ...QUIET, cwd: folder });
}

/** Makes a Python environment with the package in the folder. */
export function pipInstall(folder: string, requirement: string): void {
  execFileSync('python3', ['-m', 'venv', folder], QUIET);
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-input', requirement];
  execFileSync(join(folder, 'bin', 'python'), pip, QUIET);
}
