import { describe, expect, it } from '@jest/globals';
import { RELEASE } from '../../lambdas/platform/contract/release.ts';
import { modulesIn, packageOf, read, SOURCE_FOLDERS } from '../architecture/source-tree.ts';
import { pinsOf, readManifest } from './manifests.ts';

const { workspaces } = readManifest('');
const folders = ['', ...workspaces];
const modules = modulesIn(...SOURCE_FOLDERS, 'test');

const folderOf = (path: string) => workspaces.find((folder) => path.startsWith(`${folder}/`)) ?? '';

/** The lines of a screen. */
const MAX_LINES = 40;

it.each(workspaces)('the page of %s fits a screen', (folder) => {
  expect(read(`${folder}/README.md`).split('\n').length).toBeLessThanOrEqual(MAX_LINES);
});

describe('the manifests', () => {
  it('state one version, that of the release', () => {
    const { version, packages } = JSON.parse(read('package-lock.json'));
    expect([version, packages[''].version]).toEqual([RELEASE, RELEASE]);
    const versions = folders.map((folder) => readManifest(folder).version ?? RELEASE);
    expect([readManifest('').version, ...new Set(versions)]).toEqual([RELEASE, RELEASE]);
  });

  it('list every package that the modules of their folder import, tests included', () => {
    const pins = new Map(folders.map((folder) => [folder, pinsOf(readManifest(folder))]));
    const missing = modules.flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier }) => /^[@a-z]/.test(specifier) && !specifier.startsWith('node:'))
        .map(packageOf)
        .filter((name) => {
          const listed = pins.get(folderOf(path)) ?? {};
          return listed[name] === undefined && listed[`@types/${name}`] === undefined;
        })
        .map((name) => `${path}: ${name}`),
    );
    expect(modules.length).toBeGreaterThan(1000);
    expect(missing).toEqual([]);
  });

  it('pin each package exactly, at one version', () => {
    const pins = folders.flatMap((folder) => Object.entries(pinsOf(readManifest(folder))));
    expect(pins.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    const versions = new Map(pins);
    expect(pins.filter(([name, version]) => versions.get(name) !== version)).toEqual([]);
  });
});
