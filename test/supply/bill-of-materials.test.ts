import { describe, expect, it } from '@jest/globals';
import { billOf, bundledFolders } from '../../lib/supply/bill-of-materials.ts';

const development = [{ name: 'cdx:npm:package:development', value: 'true' }];
const workspace = [{ name: 'cdx:npm:package:private', value: 'true' }];
const ALL = {
  serialNumber: 'urn:uuid:1',
  metadata: {
    timestamp: '2026-01-01T00:00:00Z',
    tools: [{ name: 'cli', version: '11.0.0' }],
    component: { 'bom-ref': 'product@1', name: 'folder' },
  },
  components: [
    { 'bom-ref': 'a@1', properties: [] },
    { 'bom-ref': 'b@1', properties: [] },
    { 'bom-ref': 'c@1', properties: development },
    { 'bom-ref': 'd@1', properties: development },
    { 'bom-ref': 'e@1', properties: workspace },
    { 'bom-ref': 'f-linux@1', scope: 'optional', properties: [] },
  ],
  dependencies: [
    { ref: 'a@1', dependsOn: ['b@1', 'd@1'] },
    { ref: 'd@1', dependsOn: [] },
    { ref: 'e@1', dependsOn: ['a@1'] },
  ],
};

describe('the bill of materials', () => {
  it('contains the production closure and the other deployed packages, and has the same text each time', () => {
    expect(billOf(ALL, new Set(['a@1', 'c@1']))).toEqual({
      metadata: { component: { 'bom-ref': 'product@1', name: 'product' } },
      components: [
        { 'bom-ref': 'a@1', properties: [], scope: 'required' },
        { 'bom-ref': 'b@1', properties: [], scope: 'optional' },
        { 'bom-ref': 'c@1', properties: development, scope: 'required' },
      ],
      dependencies: [{ ref: 'a@1', dependsOn: ['b@1'] }],
    });
  });

  it('fails for a package that the lock file does not have', () => {
    expect(() => billOf(ALL, new Set(['z@1']))).toThrow('z@1 is deployed');
  });
});

it('a bundle contains the packages of the folders whose code it includes', () => {
  const inputs = {
    'lambdas/platform/http/router.ts': { bytesInOutput: 5 },
    'node_modules/@scope/a/dist/index.js': { bytesInOutput: 5 },
    'node_modules/@scope/a/node_modules/b/index.js': { bytesInOutput: 1 },
    '../main/node_modules/c/index.js': { bytesInOutput: 2 },
    'node_modules/d/index.js': { bytesInOutput: 0 },
  };
  const output = { ...{ bytes: 9, imports: [], exports: [] }, inputs };
  expect([...bundledFolders({ inputs: {}, outputs: { 'one.mjs': output } })]).toEqual([
    'node_modules/@scope/a',
    'node_modules/@scope/a/node_modules/b',
    'node_modules/c',
  ]);
});
