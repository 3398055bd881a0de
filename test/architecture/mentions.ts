import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, parse as parsePath, posix, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { filesIn, ROOT, read } from './source-tree.ts';

/** The host of the registry this machine installs from. */
function configuredRegistry(): string {
  const printed = execFileSync('npm', ['config', 'get', 'registry'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return new URL(printed.trim()).host;
}

/** The checkout and whatever stands beside it on this machine, as absolute paths. */
function machinePaths(): string[] {
  const parent = dirname(ROOT);
  if (parent === parsePath(ROOT).root || parent === tmpdir()) return [ROOT];
  return readdirSync(parent).map((name) => join(parent, name));
}

/** A relative path at the start of a word, as an import, a link or a sentence has it. */
const UPWARD = /(?<![\w./}@-])(?:\.\.\/)+[\w@.-][\w@./-]*/g;

/** Upward paths that leave the repository, whether read from the file's folder or from the root. */
function escapingPaths(path: string, text: string): string[] {
  return [...text.matchAll(UPWARD)]
    .map(([mention]) => mention)
    .filter((mention) => {
      const inside = posix.join(posix.dirname(path), mention);
      if (inside.startsWith('..')) return true;
      const fromRoot = join(ROOT, mention.replace(/[.,;:)]+$/, ''));
      const isNeighbour = relative(ROOT, fromRoot).startsWith('..') && existsSync(fromRoot);
      return isNeighbour && !existsSync(join(ROOT, inside));
    });
}

/** The path as a whole, not as the beginning or the end of a longer name. */
function mentions(text: string, path: string): boolean {
  const [before = '', ...after] = text.split(path);
  return after.some(
    (rest, index) => !/[\w.-]$/.test(index === 0 ? before : (after[index - 1] ?? '')) && !/^[\w-]/.test(rest),
  );
}

const strings = filesIn()
  .map((path) => ({ path, text: read(path) }))
  .filter(({ text }) => !text.includes('\0'));

describe('the repository', () => {
  it('names no path of the machine it was written on', () => {
    expect(strings.length).toBeGreaterThan(100);
    const paths = machinePaths();
    const mention = strings.flatMap(({ path, text }) =>
      paths.filter((candidate) => mentions(text, candidate)).map((candidate) => `${path}: ${candidate}`),
    );
    expect(mention).toEqual([]);
  });

  it('names no path outside itself', () => {
    const mention = strings.flatMap(({ path, text }) =>
      escapingPaths(path, text).map((escaping) => `${path}: ${escaping}`),
    );
    expect(mention).toEqual([]);
  });

  it('names no package registry, so that it installs from whichever a machine is set up with', () => {
    const registry = configuredRegistry();
    // A lock file is written by the package manager, which may note where it found a package.
    const written = strings.filter(({ path }) => path !== 'package-lock.json');
    expect(written.filter(({ text }) => text.includes(registry)).map(({ path }) => path)).toEqual([]);
  });
});

describe('the check of paths', () => {
  it('detects a path of the machine', () => {
    expect(mentions('see /home/somebody/project.', '/home/somebody/project')).toBe(true);
    expect(mentions('see /home/somebody/projects', '/home/somebody/project')).toBe(false);
    expect(mentions('see x/home/somebody/project', '/home/somebody/project')).toBe(false);
  });

  it('detects a path that leaves the repository', () => {
    const outside = ['..', '..', 'elsewhere', 'notes.md'].join('/');
    expect(escapingPaths('docs/page.md', `see ${outside}.`)).toHaveLength(1);
    expect(escapingPaths('lib/deep/page.md', `see ${outside}.`)).toHaveLength(0);
    expect(escapingPaths('page.md', `see ../${basename(ROOT)}/page.md.`)).toHaveLength(1);
  });
});
