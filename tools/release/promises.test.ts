import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { LAYOUTS } from '../../lambdas/platform/contract/layouts.ts';
import { RELEASE } from '../../lambdas/platform/contract/release.ts';
import { brokenPromises, lastReleased } from './promises.ts';

const LAST = { keys: { reads: 2, writes: 1 }, usage: { reads: 1, writes: 1 } };
const after = (changes: Readonly<Record<string, { reads: number; writes: number } | undefined>>) =>
  brokenPromises({ ...LAST, ...changes } as typeof LAST, LAST);

describe('a version after a release', () => {
  it('keeps the promises with what the release reads, more readers and new kinds', () => {
    expect(after({})).toEqual([]);
    const next = { keys: { reads: 3, writes: 2 }, usage: { reads: 2, writes: 1 } };
    expect(after({ ...next, 'new/kind': { reads: 2, writes: 2 } })).toEqual([]);
  });

  it('breaks one without a reader of a layout that the release may have written, or of a kind', () => {
    const line = 'usage: the last release writes layout 1, and this version does not read it';
    expect(after({ usage: { reads: 0, writes: 0 } })).toEqual([line]);
    expect(after({ usage: undefined })).toEqual([line]);
  });

  it('breaks one with a writer that is a release too early', () => {
    expect(after({ usage: { reads: 2, writes: 2 } })).toEqual([
      'usage: this version writes layout 2, and the last release does not read it',
    ]);
  });

  it('follows the newest release by its number', () => {
    const releases = mkdtempSync(join(tmpdir(), 'releases-'));
    expect(lastReleased(releases)).toBeUndefined();
    for (const version of ['1.9.0', '1.10.0', '1.2.0']) {
      mkdirSync(join(releases, version));
      const layouts = { [version]: { reads: 1, writes: 1 } };
      writeFileSync(join(releases, version, 'release.json'), JSON.stringify({ layouts }));
    }
    expect(Object.keys(lastReleased(releases) ?? {})).toEqual(['1.10.0']);
    rmSync(releases, { recursive: true });
  });

  const releases = join(import.meta.dirname, '..', '..', 'releases');

  it('keeps them all if it is this tree', () => {
    expect(brokenPromises(LAYOUTS, lastReleased(releases) ?? LAYOUTS)).toEqual([]);
  });

  it('needs a number of its own if it is this tree and writes another layout', () => {
    // By the number, the operator's command knows whether the stage may begin with the newest layouts.
    const written = (layouts: object) => Object.entries(layouts).map(([kind, { writes }]) => [kind, writes]);
    const isReleased = existsSync(join(releases, RELEASE));
    const last = isReleased ? lastReleased(releases) : LAYOUTS;
    expect(written(LAYOUTS).toSorted()).toEqual(written(last ?? LAYOUTS).toSorted());
  });
});
