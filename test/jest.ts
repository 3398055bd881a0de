/** Jest on this checkout. */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

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
  const output = ['--json', `--outputFile=test-results/${report}.json`];
  const jest = spawnSync(process.execPath, [JEST, ...workers, ...output, ...options], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  return jest.status ?? 1;
}

/** Returns the paths, from the root, of the test files that jest would run with the arguments. */
export function listTests(options: readonly string[]): string[] {
  const { stdout } = spawnSync(process.execPath, [JEST, '--listTests', '--json', ...options], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return (JSON.parse(stdout) as string[]).map((path) => path.slice(ROOT.length + 1));
}
