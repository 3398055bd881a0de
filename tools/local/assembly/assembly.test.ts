import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FIXTURE_TIMEOUT_MS, fixtureAssembly, temporaryFolder } from '../testing/fixture/synthesize.ts';
import { type Assembly, readAssembly } from './assembly.ts';

let folder: string;
let assembly: Assembly;
let copy: string;

beforeAll(async () => {
  folder = await fixtureAssembly();
  assembly = readAssembly(folder);
  copy = await temporaryFolder('copy');
}, FIXTURE_TIMEOUT_MS);

afterAll(() => rmSync(copy, { recursive: true }));

const named = <T extends { readonly name: string }>(list: readonly T[], part: string): T => {
  const resource = list.find(({ name }) => name.includes(part));
  if (resource === undefined) throw new Error(`nothing is named ${part}`);
  return resource;
};

describe('an assembly', () => {
  it('gives a table its keys, indexes and time to live', () => {
    expect(named(assembly.tables, 'Things')).toMatchObject({
      keySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      indexes: [{ IndexName: 'by-owner', Projection: { ProjectionType: 'ALL' } }],
      ttlAttribute: 'expires',
    });
    expect(named(assembly.tables, 'Hidden').ttlAttribute).toBeUndefined();
  });

  it('causes an error that names a resource type unknown to the runtime', () => {
    cpSync(folder, copy, { recursive: true });
    const file = join(copy, 'Data.template.json');
    const template = JSON.parse(readFileSync(file, 'utf8'));
    template.Resources.Cache = { Type: 'AWS::ElastiCache::ServerlessCache', Properties: {} };
    writeFileSync(file, JSON.stringify(template));
    expect(() => readAssembly(copy)).toThrow('AWS::ElastiCache::ServerlessCache');
  });
});
