import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { COPIED_PACKAGES } from '../../lib/bundle.ts';
import { readManifest } from './manifests.ts';
import { isProduction, lockedPackages, objectionsTo } from './policy.ts';

const locked = lockedPackages();
const production = [...locked].filter(([, entry]) => isProduction(entry));

describe('the packages of production', () => {
  it('use only licenses on the list, and none of them is deprecated', () => {
    expect(production.length).toBeGreaterThan(40);
    const copied = COPIED_PACKAGES.map((name) => `node_modules/${name}`);
    expect(objectionsTo([...copied, ...production.map(([folder]) => folder)])).toEqual([]);
  });

  it('come from a registry with a digest', () => {
    expect(production.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  });

  it('appear by name with their findings', () => {
    const bad = new Map([['node_modules/a', { license: 'AGPL-3.0-only', deprecated: 'moved' }]]);
    expect(objectionsTo(['node_modules/a', 'node_modules/b'], bad)).toEqual([
      'node_modules/a: the licence "AGPL-3.0-only" is not on the list',
      'node_modules/a: deprecated: moved',
      'node_modules/b: the licence "" is not on the list',
    ]);
  });
});

describe('the programs of a platform, Node.js and the embedded DynamoDB', () => {
  const programs = ['', 'tools/local'].flatMap((folder) =>
    Object.entries(readManifest(folder).optionalDependencies),
  );
  const folders = programs.map(([name]) => `node_modules/${name}`);

  it('list every optional package that no development package requests', () => {
    const optional = [...locked].filter(([, entry]) => entry.optional === true && entry.dev !== true);
    expect(optional.map(([folder]) => folder).sort()).toEqual([...folders].sort());
  });

  it.each(programs)('include %s %s, which npm installs only on the platform in its name', (name, version) => {
    const [, os, cpu] = /(\w+)-(\w+)$/.exec(name) ?? [];
    expect(locked.get(`node_modules/${name}`)).toMatchObject({ version, os: [os], cpu: [cpu] });
    expect(objectionsTo([`node_modules/${name}`])).toEqual([]);
  });

  it('include every package without a digest, which is an engine of another platform', () => {
    const open = [...locked].filter(
      ([, { integrity, inBundle }]) => !integrity?.startsWith('sha512-') && inBundle !== true,
    );
    expect(folders).toEqual(expect.arrayContaining(open.map(([folder]) => folder)));
    expect(open.every(([folder]) => /\/@dynoxide\/(?!linux-x64)/.test(folder))).toBe(true);
  });
});

it('allowScripts in package.json contains a decision for each package with an install script, and for no other', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8');
  const { allowScripts } = JSON.parse(text) as { readonly allowScripts: Record<string, boolean> };
  const scripted = [...locked].filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const names = scripted.map(([folder]) => folder.replace(/^.*node_modules\//, ''));
  // `npm install-scripts deny NAME` decides against; most packages work without.
  expect([...new Set(names)].sort()).toEqual(Object.keys(allowScripts).sort());
});
