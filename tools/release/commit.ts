/** The commit of a checkout, and the record of the last whole run of its tests. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A whole run that passes leaves the tree that it tested there. */
const WHOLE_RUN = join('test-results', 'whole-run.txt');

const git = (root: string, ...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

export const headOf = (root: string): string => git(root, 'rev-parse', 'HEAD');

/** Returns the hash of the tree of the commit; undefined if a file differs from it, or there is no repository. */
export function cleanTree(root: string): string | undefined {
  try {
    return git(root, 'status', '--porcelain') === '' ? git(root, 'rev-parse', 'HEAD^{tree}') : undefined;
  } catch {
    return undefined;
  }
}

export const recordWholeRun = (root: string, tree: string): void =>
  writeFileSync(join(root, WHOLE_RUN), tree);

export const hasPassedWhole = (root: string, tree: string): boolean =>
  existsSync(join(root, WHOLE_RUN)) && readFileSync(join(root, WHOLE_RUN), 'utf8') === tree;
