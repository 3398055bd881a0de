import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { packAssembly, readAssembly } from './assembly.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assembly-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the file of an assembly', () => {
  it('keeps every byte of every file that is deployed', () => {
    const assembly = join(folder, 'cdk.out');
    mkdirSync(join(assembly, 'asset.1', 'fonts'), { recursive: true });
    const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const text = '{"text":"Grüße, 世界"}';
    writeFileSync(join(assembly, 'manifest.json'), text);
    writeFileSync(join(assembly, 'asset.1', 'index.mjs.map'), '{}');
    writeFileSync(join(assembly, 'asset.1', 'fonts', 'a.woff2'), everyByte);
    mkdirSync(join(assembly, 'inference-host'));
    writeFileSync(join(assembly, 'inference-host', 'host.mjs'), '');
    packAssembly(assembly, join(folder, 'file'), 1);
    const read = join(folder, 'read');
    readAssembly(join(folder, 'file'), read);
    expect(readFileSync(join(read, 'manifest.json'), 'utf8')).toBe(text);
    expect(readFileSync(join(read, 'asset.1', 'fonts', 'a.woff2'))).toEqual(everyByte);
    expect(readdirSync(read).toSorted()).toEqual(['asset.1', 'manifest.json']);
    expect(readdirSync(join(read, 'asset.1'))).toEqual(['fonts']);
  });

  it('repeats nothing that two functions contain', () => {
    // Random, so that only a repetition can be compressed; further apart than the format's usual window of 16 MB.
    const shared = crypto.getRandomValues(new Uint8Array(60_000));
    const assembly = join(folder, 'cdk.out');
    mkdirSync(assembly);
    writeFileSync(join(assembly, 'a.mjs'), shared);
    writeFileSync(join(assembly, 'b.mjs'), 'a'.repeat(20_000_000));
    writeFileSync(join(assembly, 'c.mjs'), shared);
    packAssembly(assembly, join(folder, 'file'), 5);
    expect(statSync(join(folder, 'file')).size).toBeLessThan(1.6 * shared.length);
  });
});
