/**
 * `npm run gate [-- --since REF] [--all]`: types, lint, and the tests that need Node alone and that a change reaches. The
 * change is what differs from REF, by default from the point where the branch left `main`; without a difference, or with
 * `--all`, everything is run. Exits with 1 if anything fails.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { listTests, runJest } from './jest.ts';
import { type Reach, reachOf } from './reach.ts';

const ROOT = join(import.meta.dirname, '..');
const RINGS = ['--selectProjects', 'unit', 'template', 'integration', 'system'];
const CHECKS = ['types', 'lint'] as const;
const NOT_RUN =
  'NOT RUN: browser, clients, deploy, dynamodb-local and schema need more than Node: npm run test:optional';

const { values } = parseArgs({
  options: { since: { type: 'string' }, all: { type: 'boolean', default: false } },
});

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\n')
    .filter((line) => line !== '');

/** Returns the paths of all files that differ from the reference, untracked ones too. */
function changedSince(reference: string): string[] {
  const [base = reference] = git('merge-base', reference, 'HEAD');
  return [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
}

/** Returns what the change reaches; everything if there is no change, or no repository to ask. */
function reachOfChange(): Reach {
  try {
    const changed = values.all ? [] : changedSince(values.since ?? 'main');
    if (changed.length === 0) return 'everything';
    const modules = git('ls-files', '*.ts');
    const starters = modules.filter((path) => isStarter(readFileSync(join(ROOT, path), 'utf8')));
    return reachOf(changed, starters);
  } catch {
    return 'everything';
  }
}

const isStarter = (text: string): boolean => text.includes("from 'node:child_process'");

/** Runs the tests that are reached; returns jest's exit code. */
function runTests(reach: Reach): number {
  if (reach === 'everything') return runJest('gate', RINGS);
  const all = listTests(RINGS);
  const related = new Set(listTests([...RINGS, '--findRelatedTests', ...reach.modules]));
  const chosen = all.filter(
    (path) => related.has(path) || reach.tests.some((beginning) => path.startsWith(beginning)),
  );
  console.log(`The change reaches ${chosen.length} of ${all.length} test files.`);
  return runJest('gate', [...RINGS, '--runTestsByPath', ...chosen]);
}

async function exitCodeOf(script: string): Promise<number> {
  const [code] = (await once(
    spawn('npm', ['run', '--silent', script], { cwd: ROOT, stdio: 'inherit' }),
    'close',
  )) as [number | null];
  return code ?? 1;
}

const checked = await Promise.all(CHECKS.map(exitCodeOf));
if (checked.some((code) => code !== 0)) process.exitCode = 1;
else process.exitCode = runTests(reachOfChange());
if (values.all) console.log(NOT_RUN);
