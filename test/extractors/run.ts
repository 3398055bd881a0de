/**
 * `npm run test:extractors`: installs public readers of zips, pinned, under `node_modules/.cache`, and runs the `extractors` ring
 * on them. Java and Info-ZIP take part if they are installed. Where there is no Python, no libarchive or no package to be had,
 * the ring is skipped, and says so. Without network once they were installed.
 */
import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { INSTALL_MS, installedFolder, pipInstall } from '../../tools/test-kit/cached-packages.ts';
import { runRing, skipRing } from '../optional-ring.ts';

async function install(folder: string): Promise<void> {
  await pipInstall(folder);
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  await promisify(execFile)('npm', ['ci', '--prefix', folder, ...quiet], { timeout: INSTALL_MS });
}

async function main(): Promise<number> {
  try {
    const pins = join(import.meta.dirname, 'packages');
    const tools = await installedFolder({ ring: 'extractors', pins, install });
    execFileSync(join(tools, 'bin', 'python'), ['-c', 'import libarchive'], { stdio: 'pipe' });
    return runRing('extractors', { EXTRACTORS: tools });
  } catch (failure) {
    skipRing('extractors', 'it needs Python 3.10, the library libarchive and a package registry', failure);
    return 0;
  }
}

process.exitCode = await main();
