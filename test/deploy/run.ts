/**
 * `npm run test:deploy`: installs the emulator into a Python environment of its own, runs the deploy ring on it and
 * deletes it. Where there is no Python or no package to be had, the ring is skipped, and says so.
 */
import { type ExecFileSyncOptions, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'deploy-ring-'));

/** The packages are small; a registry that takes longer is not reachable. */
const INSTALL_MS = 180_000;

/** Returns the interpreter that can run the emulator; throws when there is none. */
function install(): string {
  const quiet: ExecFileSyncOptions = { stdio: ['ignore', 'ignore', 'pipe'], timeout: INSTALL_MS };
  execFileSync('python3', ['-m', 'venv', join(folder, 'python')], quiet);
  const python = join(folder, 'python', 'bin', 'python');
  const requirements = join(import.meta.dirname, 'requirements.txt');
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--no-input', '-r', requirements], quiet);
  return python;
}

function skip(failure: unknown): void {
  const { stderr, message } = failure as { stderr?: Buffer; message: string };
  const lines = String(stderr ?? '')
    .trim()
    .split('\n');
  const bar = '*'.repeat(100);
  console.error(`${bar}\nSKIPPED: the deploy ring, because the emulator cannot be installed here.`);
  console.error(`${lines.at(-1) || message}\n${bar}`);
}

function main(): number {
  let python: string;
  try {
    python = install();
  } catch (failure) {
    skip(failure);
    return 0;
  }
  const jest = spawnSync(
    process.execPath,
    [
      ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
      join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
      ...['--selectProjects', 'deploy', '--json', '--outputFile=test-results/deploy.json'],
      ...process.argv.slice(2),
    ],
    { cwd: root, stdio: 'inherit', env: { ...process.env, EMULATOR_PYTHON: python } },
  );
  return jest.status ?? 1;
}

try {
  process.exitCode = main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
