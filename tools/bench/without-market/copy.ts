/** A copy of the tree without the market. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { EDITS, REMOVED } from './deletion.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

const isRemoved = (path: string): boolean =>
  REMOVED.some((removed) => path === removed || path.startsWith(`${removed}/`));

/** Returns the paths of the tracked files of the tree that stay. */
export const stayingFiles = (): readonly string[] =>
  execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 25 })
    .split('\0')
    .filter((path) => path !== '' && !isRemoved(path));

/** Returns a file without its registrations of the market. Throws an error if one of them is not there. */
export function withoutMarket(path: string, text: string): string {
  return EDITS.filter(([edited]) => edited === path).reduce((left, [, pattern, replacement = '']) => {
    const edited = left.replace(pattern, replacement);
    if (edited === left) throw new Error(`${path} has nothing like ${pattern}`);
    return edited;
  }, text);
}

/** Writes the copy to a temporary folder, and returns the folder. */
export function copyWithoutMarket(): string {
  const folder = mkdtempSync(join(tmpdir(), 'without-market-'));
  for (const path of stayingFiles()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path));
  }
  for (const path of new Set(EDITS.map(([edited]) => edited)))
    writeFileSync(join(folder, path), withoutMarket(path, readFileSync(join(ROOT, path), 'utf8')));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  // Tests list the files of the repository.
  for (const command of [
    ['init', '--quiet'],
    ['add', '--all', '--force', '--', '.', ':!node_modules'],
  ])
    execFileSync('git', command, { cwd: folder });
  return folder;
}

export const removeCopy = (folder: string): void => rmSync(folder, { recursive: true, force: true });
