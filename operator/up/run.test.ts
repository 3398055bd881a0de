import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..');

const run = (program: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [`operator/up/${program}.ts`, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });

describe('up and down', () => {
  it.each(['up', 'down'])('print their options on request: %s', (name) => {
    const { status, stdout } = run(name === 'up' ? 'run' : name, '--help');
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(`^usage: npm run ${name} -- [^]*--stage STAGE`),
    ]);
  });

  it.each([
    [['--stage', 'Prod'], 'a stage has at most 20 lower-case letters, digits and hyphens'],
    [['--stag', 'prod'], 'there is no option --stag: the options are --stage, --config'],
    [['--stage', 'prod'], 'there is no terminal to ask on: add --yes'],
  ])('promise to continue only what has begun: %j', (args, message) => {
    const { status, stderr } = run('run', ...args);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(stderr).toMatch(/npm run up -- --help lists the options\.\n$/);
    expect(stderr).not.toContain('continues');
  });
});
