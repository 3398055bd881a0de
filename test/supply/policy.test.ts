import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { COPIED_PACKAGES } from '../../lib/bundle.ts';
import { materialsOf } from '../../lib/supply/bill-of-materials.ts';
import { type LockedPackage, readLockFile } from '../../lib/supply/lock-file.ts';
import { isAllowedLicence, objectionsTo, undecidedScripts } from './policy.ts';

const read = (file: string): string => readFileSync(join(import.meta.dirname, '..', '..', file), 'utf8');
const locked = readLockFile(read('package-lock.json'));
const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };

const made = (fields: Partial<LockedPackage>): LockedPackage => ({
  ...{ path: 'node_modules/a', name: 'a', version: '1.0.0', licence: 'MIT', integrity: undefined },
  ...{ production: true, hasInstallScript: false, deprecated: undefined, dependsOn: [] },
  ...fields,
});

describe('the packages of production', () => {
  it('have a licence on the list, and are not deprecated', () => {
    const copied = new Set(COPIED_PACKAGES.map((name) => `node_modules/${name}`));
    const packages = materialsOf(locked, copied).map((material) => material.package);
    expect(packages.length).toBeGreaterThan(40);
    expect(objectionsTo(packages)).toEqual([]);
  });

  it('come from a registry with a digest', () => {
    expect(
      locked.filter(({ production, integrity }) => production && !integrity?.startsWith('sha512-')),
    ).toEqual([]);
  });
});

describe('install scripts', () => {
  it('are each decided on in allowScripts of package.json', () => {
    expect(locked.some(({ hasInstallScript }) => hasInstallScript)).toBe(true);
    // `npm install-scripts deny NAME` decides against; most packages work without.
    expect(undecidedScripts(locked, allowScripts)).toEqual([]);
  });

  it('are decided on for what is installed alone', () => {
    const scripted = new Set(locked.filter((each) => each.hasInstallScript).map(({ name }) => name));
    expect(Object.keys(allowScripts).filter((name) => !scripted.has(name))).toEqual([]);
  });

  it('are found where nobody has decided', () => {
    const scripted = [made({ hasInstallScript: true }), made({ path: 'node_modules/b', name: 'b' })];
    expect(undecidedScripts(scripted, {})).toEqual(['node_modules/a']);
    expect(undecidedScripts(scripted, { a: false })).toEqual([]);
  });
});

describe('a licence', () => {
  it.each(['MIT', '(MIT OR GPL-3.0-or-later)', 'Apache-2.0 AND MIT', '(AFL-2.1 OR (MIT AND ISC))'])(
    'is allowed: %s',
    (expression) => {
      expect(isAllowedLicence(expression)).toBe(true);
    },
  );

  it.each([
    '',
    'GPL-3.0-only',
    'MIT AND GPL-3.0-only',
    'UNLICENSED',
    'SEE LICENSE IN LICENSE.md',
    '(MIT',
    'MIT)',
  ])('is not allowed: "%s"', (expression) => {
    expect(isAllowedLicence(expression)).toBe(false);
  });

  it('that is not allowed is named with its package, as is a deprecation', () => {
    expect(objectionsTo([made({ licence: 'AGPL-3.0-only', deprecated: 'moved' })])).toEqual([
      'node_modules/a: the licence "AGPL-3.0-only" is not on the list',
      'node_modules/a: deprecated: moved',
    ]);
  });
});
