import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureAssembly, hashSources } from './build.ts';
import { temporaryFolder } from './testing/fixture/synthesize.ts';

const roots: string[] = [];
let root: string;
let outputDir: string;
let lines: string[];

/** A checkout whose `bin/app.ts` writes its context to the assembly, or complains. */
beforeEach(async () => {
  root = await temporaryFolder('checkout');
  roots.push(root);
  outputDir = join(root, '.build', 'assembly');
  lines = [];
  for (const folder of ['bin', 'console', 'lib', 'lambdas']) mkdirSync(join(root, folder));
  writeFileSync(join(root, 'cdk.json'), '{"context":{"flag":true}}');
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(root, 'bin', 'app.ts'),
    `import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
if (existsSync('lib/broken')) throw new Error('lib is broken: string' satisfies string);
const out: string = process.env['CDK_OUTDIR'] ?? '';
mkdirSync(out);
if (existsSync('lib/edit-once')) rmSync('lib/edit-once');
appendFileSync('builds', 'x');
writeFileSync(out + '/manifest.json', process.env['CDK_CONTEXT_JSON'] ?? '');`,
  );
});

afterAll(() => {
  for (const folder of roots) rmSync(folder, { recursive: true });
});

const build = () =>
  ensureAssembly({ root, outputDir, environment: process.env, log: (line) => lines.push(line) });
const builds = () => readFileSync(join(root, 'builds'), 'utf8').length;

describe('a build', () => {
  it('happens once for the same sources, with the context of cdk.json', async () => {
    const assembly = await build();
    expect(JSON.parse(readFileSync(join(assembly, 'manifest.json'), 'utf8'))).toEqual({ flag: true });
    expect([await build(), builds(), lines.length]).toEqual([assembly, 1, 1]);
  });

  it('happens once when two starts want it at once', async () => {
    const [first, second] = await Promise.all([build(), build()]);
    expect([first === second, builds()]).toEqual([true, 1]);
    expect(readdirSync(outputDir)).toHaveLength(1);
  });

  it('runs again after any change, and retains the last three assemblies', async () => {
    const assemblies: string[] = [];
    for (const name of ['lambdas/a', 'lib/b', 'package-lock.json', 'lambdas/c']) {
      writeFileSync(join(root, name), name);
      assemblies.push(await build());
    }
    expect(new Set(assemblies).size).toBe(4);
    expect(assemblies.map(existsSync)).toEqual([false, true, true, true]);
  });

  it('stays if it was used last, whatever the clocks of the processes were that used the others', async () => {
    const nextYear = Date.now() / 1000 + 31_536_000;
    for (const name of ['lib/1', 'lib/2', 'lib/3', 'lib/4']) {
      writeFileSync(join(root, name), name);
      const assembly = await build();
      expect(existsSync(assembly)).toBe(true);
      utimesSync(assembly, nextYear, nextYear);
    }
  });

  it('discards its result and starts again if the sources change meanwhile', async () => {
    writeFileSync(join(root, 'lib', 'edit-once'), '');
    const assembly = await build();
    expect([builds(), readdirSync(outputDir)]).toEqual([2, [assembly.slice(outputDir.length + 1)]]);
  });

  it('leaves nothing behind and states the reason if it fails', async () => {
    writeFileSync(join(root, 'lib', 'broken'), '');
    await expect(build()).rejects.toThrow(/the service does not build:\n[\s\S]*lib is broken: string/);
    expect(readdirSync(outputDir)).toEqual([]);
  });

  it('depends on names and contents, and on the settings file of the deployment', () => {
    const before = hashSources(root, undefined);
    const config = join(root, 'config.json');
    writeFileSync(config, '{}');
    expect(hashSources(root, undefined)).toBe(before);
    expect(hashSources(root, config)).not.toBe(before);
    writeFileSync(join(root, 'lib', 'x'), '');
    const named = hashSources(root, undefined);
    rmSync(join(root, 'lib', 'x'));
    writeFileSync(join(root, 'lib', 'y'), '');
    expect(new Set([before, named, hashSources(root, undefined)]).size).toBe(3);
  });
});
