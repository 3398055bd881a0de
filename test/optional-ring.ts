/** A ring that needs what this machine may not have: runs it with what was installed, or says loudly that it is skipped. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Runs the ring's tests in jest, with the arguments of this process; returns jest's exit code. */
export function runRing(name: string, environment: Readonly<Record<string, string>>): number {
  const jest = spawnSync(
    process.execPath,
    [
      ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
      join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
      ...['--selectProjects', name, '--json', `--outputFile=test-results/${name}.json`],
      ...process.argv.slice(2),
    ],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ...environment } },
  );
  return jest.status ?? 1;
}

/** The line that says why, from the last line that a failed command printed. */
export function skipRing(name: string, reason: string, failure: unknown): void {
  const { stderr, stdout, message } = failure as { stderr?: Buffer; stdout?: Buffer; message: string };
  const lines = `${stdout ?? ''}\n${stderr ?? ''}`.trim().split('\n');
  const bar = '*'.repeat(100);
  console.error(`${bar}\nSKIPPED: the ${name} ring, because ${reason}.`);
  console.error(`${lines.at(-1) || message}\n${bar}`);
}
