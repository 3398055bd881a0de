import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RELEASE } from '../../lambdas/platform/contract/release.ts';
import { releaseDateOf } from './changelog.ts';
import { cleanTree, hasPassedWhole, headOf, recordWholeRun } from './commit.ts';
import { changedReleases, writeRelease } from './folder.ts';
import { objectionsTo } from './objections.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CHANGELOG = '# Changelog\n\n## 1.0.0 (2026-11-28)\n\n### Upgrade\n\nNo.\n\n### Go back\n\nNo.\n';

let root: string;
let releases: string;

const git = (...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: root });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'release-'));
  releases = join(root, 'releases');
  mkdirSync(join(root, 'test-results'));
  writeFileSync(join(root, 'package.json'), '{"version": "1.0.0"}');
  writeFileSync(join(root, 'CHANGELOG.md'), CHANGELOG);
  writeFileSync(join(root, '.gitignore'), 'test-results/\n.build/\n');
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'one');
});
afterEach(() => rmSync(root, { recursive: true }));

const objections = (more: Partial<Parameters<typeof objectionsTo>[0]> = {}) =>
  objectionsTo({ root, version: '1.0.0', stated: '1.0.0', staleResults: async () => [], ...more });

describe('a release', () => {
  it('meets all conditions on a clean checkout that states its version', async () => {
    expect(await objections()).toEqual([]);
  });

  it.each<[string, string, () => void]>([
    ['a file that is not committed', 'the checkout has changes', () => writeFileSync(join(root, 'new'), '')],
    ['a changed file', 'the checkout has changes', () => appendFileSync(join(root, 'CHANGELOG.md'), '\n')],
    [
      'another version in package.json',
      'package.json states 0.9.0',
      () => writeFileSync(join(root, 'package.json'), '{"version": "0.9.0"}'),
    ],
    ['a folder of that version', 'releases/1.0.0 exists', () => mkdirSync(releases)],
  ])('fails with %s', async (_name, message, change) => {
    change();
    if (message.endsWith('exists')) mkdirSync(join(releases, '1.0.0'));
    expect(await objections()).toContainEqual(expect.stringContaining(message));
  });

  it('fails if the service states another version, or a result is stale', async () => {
    expect(await objections({ stated: '1.1.0' })).toEqual([expect.stringContaining('states 1.1.0')]);
    expect(await objections({ staleResults: async () => ['stream'] })).toEqual(['a result is stale: stream']);
    expect(await objections({ version: 'next' })).toContainEqual('next is no version such as 1.0.0');
  });
});

describe('the section of a release in the changelog', () => {
  it('states its date', () => {
    expect(releaseDateOf(CHANGELOG, '1.0.0')).toBe('2026-11-28');
  });

  it.each([
    ['no section', CHANGELOG.replace('## 1.0.0', '## 1.0.1')],
    ['no date', CHANGELOG.replace('(2026-11-28)', '(soon)')],
    ['no text under "### Upgrade"', CHANGELOG.replace('Upgrade\n\nNo.', 'Upgrade\n')],
    ['no text under "### Go back"', CHANGELOG.replace('### Go back', '### Back')],
  ])('fails a release with %s', async (message, text) => {
    expect(() => releaseDateOf(text, '1.0.0')).toThrow(message);
    writeFileSync(join(root, 'CHANGELOG.md'), text);
    expect(await objections()).toContainEqual(expect.stringContaining(message));
  });

  it('exists for every version of this project, and the README states the newest with its date', () => {
    const text = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
    const versions = [...text.matchAll(/^## (\d\S*)/gm)].map(([, version = '']) => version);
    expect(versions).toContain(RELEASE);
    const dates = new Map(versions.map((version) => [version, releaseDateOf(text, version)]));
    expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain(
      `**Release ${RELEASE}** (${dates.get(RELEASE)}, `,
    );
  });
});

describe('the record of a whole run', () => {
  it('holds for the tree that was tested alone', () => {
    const tree = cleanTree(root) ?? '';
    expect(hasPassedWhole(root, tree)).toBe(false);
    recordWholeRun(root, tree);
    expect(hasPassedWhole(root, tree)).toBe(true);
    appendFileSync(join(root, 'CHANGELOG.md'), '\n');
    expect(cleanTree(root)).toBeUndefined();
    git('commit', '--quiet', '--all', '--message', 'two');
    expect(hasPassedWhole(root, cleanTree(root) ?? '')).toBe(false);
  });
});

describe('the folder of a release', () => {
  const write = (content: string) =>
    writeRelease(
      releases,
      {
        version: '1.0.0',
        date: '2026-11-28',
        commit: headOf(root),
        layouts: { keys: { reads: 2, writes: 1 } },
      },
      async (folder) => {
        writeFileSync(join(folder, 'state.br'), content);
      },
    );

  it('allows no second write, also after it was deleted', async () => {
    const folder = await write('first');
    await expect(write('second')).rejects.toThrow('a release is never replaced');
    expect(readFileSync(join(folder, 'state.br'), 'utf8')).toBe('first');
    rmSync(folder, { recursive: true });
    await expect(write('second')).rejects.toThrow('a release is never replaced');
    expect(changedReleases(releases)).toEqual(['1.0.0: release.json has changed']);
  });

  it('appears only if every file of it could be written', async () => {
    const record = { version: '1.0.0', date: '2026-11-28', commit: headOf(root), layouts: {} };
    const failing = writeRelease(releases, record, () => Promise.reject(new Error('no space')));
    await expect(failing).rejects.toThrow('no space');
    await expect(write('first')).resolves.toBe(join(releases, '1.0.0'));
  });

  it.each<[string, string, (folder: string) => void]>([
    ['a changed byte', 'state.br has changed', (folder) => writeFileSync(join(folder, 'state.br'), 'firsT')],
    ['another file', 'more has changed', (folder) => writeFileSync(join(folder, 'more'), '')],
    ['a missing file', 'state.br has changed', (folder) => rmSync(join(folder, 'state.br'))],
    [
      'another record',
      'release.json has changed',
      (folder) => appendFileSync(join(folder, 'release.json'), '\n'),
    ],
  ])('differs visibly with %s', async (_name, message, change) => {
    const folder = await write('first');
    expect(changedReleases(releases)).toEqual([]);
    change(folder);
    expect(changedReleases(releases)).toEqual([`1.0.0: ${message}`]);
  });

  it('differs visibly if the command has not written it', async () => {
    await write('first');
    mkdirSync(join(releases, '1.0.1'));
    expect(changedReleases(releases)).toEqual(['1.0.1: not in hashes.json']);
  });

  it('contains what was written, for every release of this project', () => {
    expect(changedReleases(join(ROOT, 'releases'))).toEqual([]);
  });
});
