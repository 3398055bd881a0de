/** Jest on this checkout. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const JEST = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');

/** Many tests wait for a server or a process, so two more workers than cores keep the cores busy. */
export const WORKERS = availableParallelism() + 2;

/**
 * Runs jest with the options and leaves its report in `test-results/<report>.json`. Returns its exit code: not 0 if a
 * test fails. `--maxWorkers` is added if the options do not set it.
 */
export function runJest(
  report: string,
  options: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): number {
  const workers = options.some((option) => option.startsWith('--maxWorkers'))
    ? []
    : [`--maxWorkers=${WORKERS}`];
  // A run that breaks off leaves no report, and that of an earlier one is not its own.
  rmSync(join(ROOT, 'test-results', `${report}.json`), { force: true });
  const output = ['--json', `--outputFile=test-results/${report}.json`];
  const jest = spawnSync(process.execPath, [JEST, ...workers, ...output, ...options], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  // With a pattern of titles, all other tests are skipped.
  const hasPattern = options.some((option) => option === '-t' || option.startsWith('--testNamePattern'));
  for (const name of hasPattern ? [] : skippedIn(join(ROOT, 'test-results', `${report}.json`)))
    console.log(`skipped: ${name}`);
  return jest.status ?? 1;
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Returns the tests that a run has skipped, by file and title. None if it has ended without a report. */
function skippedIn(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report;
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'pending')
      .map(({ fullName }) => `${relative(ROOT, name)}: ${fullName}`),
  );
}

/** Returns the paths, from the root, of the test files that jest would run with the arguments. */
export function listTests(options: readonly string[]): string[] {
  const { stdout } = spawnSync(process.execPath, [JEST, '--listTests', '--json', ...options], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return (JSON.parse(stdout) as string[]).map((path) => path.slice(ROOT.length + 1));
}
