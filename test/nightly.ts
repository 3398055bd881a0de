/**
 * `npm run nightly [-- --since REF]`: everything, with long searches from a fresh seed, and the mutants of the critical
 * modules that changed since REF, by default in the last day. It goes on after a failure, lists what failed, and exits
 * with 1 if anything did. `SEED` and `THOROUGH` of the environment replace its own.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { areaOf } from '../tools/bench/mutants/areas.ts';

const ROOT = join(import.meta.dirname, '..');
const environment = { SEED: 'fresh', THOROUGH: '5', ...process.env };

const { values } = parseArgs({ options: { since: { type: 'string' } } });

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');

/** Returns the critical modules that changed; none in a repository that is younger than a day. */
function changedModules(): string[] {
  const [base] =
    values.since === undefined ? git('rev-list', '-1', '--before=24 hours ago', 'HEAD') : [values.since];
  if (base === undefined) return [];
  return git('diff', '--name-only', base, '--', '*.ts').filter(
    (path) => areaOf(path) !== undefined && existsSync(join(ROOT, path)),
  );
}

function passes(command: readonly string[]): boolean {
  const [name = '', ...args] = command;
  return spawnSync(name, args, { cwd: ROOT, stdio: 'inherit', env: environment }).status === 0;
}

const mutated = changedModules();
const mutants = ['npm', 'run', 'bench', '--', 'mutants', '--count', '200', '--minutes', '90', ...mutated];
const steps = [['npm', 'test'], ['npm', 'run', 'test:optional'], ...(mutated.length === 0 ? [] : [mutants])];
const failed = steps.filter((step) => !passes(step));
for (const step of failed) console.error(`FAILED: ${step.join(' ')}`);
if (failed.length > 0) process.exitCode = 1;
