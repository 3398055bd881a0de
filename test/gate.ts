/**
 * `npm run gate [-- --since REF] [--all]`: types, lint, unused code, and the tests that need Node alone and that a change reaches. The
 * change is what differs from REF, by default from the point where the branch left `main`; without a difference, or with
 * `--all`, everything is run. Exits with 1 if anything fails.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cleanTree, recordWholeRun } from '../tools/release/commit.ts';
import { listTests, runJest } from './jest.ts';
import { reachedTests } from './reach.ts';

const ROOT = join(import.meta.dirname, '..');
const RINGS = ['--selectProjects', 'unit', 'template', 'integration', 'system'];
const CHECKS = ['types', 'lint', 'knip'] as const;
const NOT_RUN =
  'NOT RUN: browser, clamav, clients, deploy, dynamodb-local, extractors and schema need more than Node: npm run test:optional';

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

/** Returns the tests that the change reaches; everything if there is no change, or no repository to read it from. */
function reachedByChange(): readonly string[] | 'everything' {
  try {
    const changed = values.all ? [] : changedSince(values.since ?? 'main');
    if (changed.length === 0) return 'everything';
    const paths = git('ls-files', '--cached', '--others', '--exclude-standard').filter((path) =>
      existsSync(join(ROOT, path)),
    );
    return reachedTests(
      changed,
      new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')])),
    );
  } catch {
    return 'everything';
  }
}

/** Runs the tests that are reached; returns jest's exit code. */
function runTests(reached: readonly string[] | 'everything'): number {
  if (reached === 'everything') return runJest('gate', RINGS);
  const all = listTests(RINGS);
  const chosen = all.filter((path) => reached.includes(path));
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

const tree = cleanTree(ROOT);
const checked = await Promise.all(CHECKS.map(exitCodeOf));
if (checked.some((code) => code !== 0)) process.exitCode = 1;
else process.exitCode = runTests(reachedByChange());
if (values.all) console.log(NOT_RUN);
if (values.all && process.exitCode === 0 && tree !== undefined && cleanTree(ROOT) === tree)
  recordWholeRun(ROOT, tree);
