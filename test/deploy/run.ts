/**
 * `npm run test:deploy`: installs the emulator into a Python environment of its own, runs the deploy ring on it and
 * deletes it. Where there is no Python or no package to be had, the ring is skipped, and says so.
 */
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runRing, skipRing } from '../optional-ring.ts';

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

function main(): number {
  let python: string;
  try {
    python = install();
  } catch (failure) {
    skipRing('deploy', 'the emulator cannot be installed here', failure);
    return 0;
  }
  return runRing('deploy', { EMULATOR_PYTHON: python });
}

try {
  process.exitCode = main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
