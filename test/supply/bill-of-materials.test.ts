import { describe, expect, it } from '@jest/globals';
import { bundledFolders, cycloneDx, licenceList, materialsOf } from '../../lib/supply/bill-of-materials.ts';
import { readLockFile } from '../../lib/supply/lock-file.ts';

const DIGEST = 'a'.repeat(86);
const LOCK = {
  lockfileVersion: 3,
  packages: {
    '': { name: 'product' },
    'node_modules/@scope/a': {
      ...{ version: '1.0.0', license: 'MIT', integrity: `sha512-${DIGEST}==` },
      dependencies: { b: '^1', c: '^1' },
    },
    'node_modules/@scope/a/node_modules/b': { version: '1.1.0', license: '(MIT OR Apache-2.0)' },
    'node_modules/b': { version: '2.0.0', license: 'ISC', dev: true },
    'node_modules/c': { version: '3.0.0', license: 'MIT' },
    'node_modules/d': { version: '4.0.0', license: 'MIT', dev: true },
    'node_modules/e': { version: '5.0.0', license: 'MIT', devOptional: true },
  },
};
const locked = readLockFile(JSON.stringify(LOCK));
const metafile = {
  inputs: {},
  outputs: {
    'one.mjs': {
      ...{ bytes: 9, imports: [], exports: [] },
      inputs: {
        'lambdas/edge/router.ts': { bytesInOutput: 5 },
        'node_modules/@scope/a/dist/index.js': { bytesInOutput: 5 },
        'node_modules/@scope/a/node_modules/b/index.js': { bytesInOutput: 1 },
        '../main/node_modules/c/index.js': { bytesInOutput: 0 },
        'node_modules/d/index.js': { bytesInOutput: 2 },
      },
    },
  },
};
const materials = materialsOf(locked, bundledFolders(metafile));

describe('the bill of materials', () => {
  it('has the production closure, and whatever else is in what is deployed', () => {
    expect(materials.map(({ package: { path }, deployed }) => [path, deployed])).toEqual([
      ['node_modules/@scope/a', true],
      ['node_modules/@scope/a/node_modules/b', true],
      ['node_modules/c', false],
      ['node_modules/d', true],
    ]);
  });

  it('is CycloneDX 1.6: each package with its version, licence and digest, and what it depends on', () => {
    const bill = cycloneDx({ name: 'product', version: '1.2.3', license: 'Apache-2.0' }, materials);
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    const { components, dependencies } = bill as { components: unknown[]; dependencies: unknown[] };
    expect(components.slice(0, 2)).toEqual([
      {
        ...{ type: 'library', 'bom-ref': '@scope/a', name: '@scope/a', version: '1.0.0', scope: 'required' },
        ...{ purl: 'pkg:npm/%40scope/a@1.0.0', licenses: [{ license: { id: 'MIT' } }] },
        hashes: [{ alg: 'SHA-512', content: Buffer.from(DIGEST, 'base64').toString('hex') }],
      },
      {
        ...{ type: 'library', 'bom-ref': '@scope/a/b', name: 'b', version: '1.1.0', scope: 'required' },
        ...{ purl: 'pkg:npm/b@1.1.0', licenses: [{ expression: '(MIT OR Apache-2.0)' }] },
      },
    ]);
    expect(components[2]).toMatchObject({ name: 'c', scope: 'optional' });
    expect(dependencies[0]).toEqual({ ref: '@scope/a', dependsOn: ['@scope/a/b', 'c'] });
  });

  it('lists licences with their texts, of what is deployed', () => {
    const list = licenceList(materials, (path) => (path.endsWith('/d') ? [] : ['Permission is granted']));
    expect(list).toContain('@scope/a 1.0.0: MIT\n\nPermission is granted');
    expect(list).toContain('d 4.0.0: MIT\n\nThe package carries no text');
    expect(list).not.toContain('c 3.0.0');
  });

  it('is refused for what the lock file does not know', () => {
    expect(() => materialsOf(locked, new Set(['node_modules/z']))).toThrow('node_modules/z is deployed');
    expect(() => readLockFile('{"lockfileVersion":2}')).toThrow('version 2');
  });
});
