import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RELEASE } from '../../../lambdas/platform/contract/release.ts';
import { bundlesFolder, bundlesMetafile } from '../../../test/template/bundles.ts';
import { type Archive, buildArchive, SUMS } from './archive.ts';
import { functionFiles } from './function-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'archive-test-'));
const top = join(folder, 'empty', `unified-inference-service-${RELEASE}`);
let archives: readonly Archive[];
let running: ChildProcess | undefined;

const build = (name: string) =>
  buildArchive({
    directory: join(folder, name),
    bundles: { market: bundlesFolder(), withoutMarket: bundlesFolder(), metafile: bundlesMetafile() },
  });

/** A machine with Node.js and a shell alone. */
function environment(): Record<string, string> {
  const programs = join(folder, 'programs');
  mkdirSync(programs, { recursive: true });
  rmSync(join(programs, 'node'), { force: true });
  symlinkSync(process.execPath, join(programs, 'node'));
  return { PATH: `${programs}:/usr/bin:/bin`, HOME: folder, PORT: '0' };
}

const service = join(top, 'service');

const run = (...args: readonly string[]) =>
  execFileSync(service, args, { cwd: top, env: environment(), encoding: 'utf8' });

afterAll(() => {
  if (running?.exitCode === null) running.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** An archive is built on Linux x64, because it has the database of that platform. */
const onLinuxX64 = `${process.platform}-${process.arch}` === 'linux-x64' ? describe : describe.skip;

onLinuxX64('the archive of a release', () => {
  beforeAll(async () => {
    archives = [await build('first'), await build('second')];
    mkdirSync(join(folder, 'empty'));
    execFileSync('tar', ['xzf', archives[0]?.file ?? ''], { cwd: join(folder, 'empty') });
  });

  it('equals that of another build of the same commit byte for byte', () => {
    const [first, second] = archives.map(({ file }) => readFileSync(file));
    expect(first?.equals(second ?? Buffer.of())).toBe(true);
  });

  it('stands next to a bill of materials and the sums of both, as sha256sum writes them', () => {
    const files = [`unified-inference-service-${RELEASE}.tar.gz`, 'bom.cdx.json'];
    const sums = files.map((name) => {
      const sum = createHash('sha256').update(readFileSync(join(folder, 'first', name)));
      return `${sum.digest('hex')}  ${name}\n`;
    });
    expect(readFileSync(join(folder, 'first', SUMS), 'utf8')).toBe(sums.join(''));
    expect(archives[0]?.sha256).toBe(sums[0]?.split(' ')[0]);
    const bill = JSON.parse(readFileSync(join(folder, 'first', 'bom.cdx.json'), 'utf8'));
    const names = bill.components.map(({ name }: { readonly name: string }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'aws-cdk',
        'aws-cdk-lib',
        'aws-local-stepfunctions',
        '@dynoxide/linux-x64',
        'react',
        'zod',
      ]),
    );
    expect(readFileSync(join(top, 'licences.txt'), 'utf8')).toContain('aws-cdk-lib');
  });

  it('prints its commands, and demands a Node.js that can run them', () => {
    const print = (env: Record<string, string>, ...args: readonly string[]) =>
      spawnSync(service, args, { cwd: top, env, encoding: 'utf8' });
    expect(print(environment())).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/start\|reset\|up/),
    });
    expect(print(environment(), 'admin', '--help').stdout).toContain('usage: ./service admin <command>');
    const old = join(folder, 'old');
    mkdirSync(old);
    writeFileSync(join(old, 'node'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    expect(print({ PATH: `${old}:/usr/bin:/bin` }, 'start')).toMatchObject({
      status: 1,
      stderr: 'Node.js 24 or later is needed, as the command node.\n',
    });
  });

  it('starts in an empty folder, without packages or the repository, and serves the printed call', async () => {
    const child = spawn(service, ['start'], { cwd: top, env: environment() });
    running = child;
    const lines: string[] = [];
    let printed = '';
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (!line.startsWith('curl ')) continue;
      printed = line;
      break;
    }
    child.stdout.resume();
    const [, url = '', body = ''] =
      /^curl -N (\S+) -H "Authorization: Bearer \$KEY" .* -d '(.*)'$/.exec(printed) ?? [];
    const [, key = ''] = /^export KEY=(\S+)$/.exec(lines.at(-2) ?? '') ?? [];
    expect([lines, url]).toEqual([lines, expect.stringMatching(/^http:/)]);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('data: [DONE]')]);
    expect(JSON.parse(run('admin', 'audit', '--json'))).toMatchObject({ exact: true, drift: 0 });
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
  });
});

describe('the functions in the archive', () => {
  const write = (name: string, files: Readonly<Record<string, string>>): string => {
    const path = join(folder, name);
    mkdirSync(path);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
    return path;
  };

  it('consist of those with the market, and those without it that differ, without source maps', () => {
    const market = write('market', { 'a.mjs': '1', 'b.mjs': '1', 'b.mjs.map': '1' });
    const withoutMarket = write('without', { 'a.mjs': '1', 'b.mjs': '2', 'b.mjs.map': '2' });
    const texts = functionFiles({ market, withoutMarket }).map(({ path, content }) => [
      path,
      String(content),
    ]);
    expect(texts).toEqual([
      ['bin/functions/market/a.mjs', '1'],
      ['bin/functions/market/b.mjs', '1'],
      ['bin/functions/without-market/b.mjs', '2'],
    ]);
  });

  it('fail the build if only one of both has a file', () => {
    const market = write('with-a', { 'a.mjs': '1' });
    const withoutMarket = write('with-b', { 'b.mjs': '1' });
    expect(() => functionFiles({ market, withoutMarket })).toThrow('other files');
  });
});
