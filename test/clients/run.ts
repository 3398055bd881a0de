/**
 * `npm run test:clients`: installs the clients of other languages and package trees, each set pinned and into a folder
 * of its own under `node_modules/.cache`, and runs the `clients` ring on them. A set that cannot be had here is skipped,
 * and says so; what needs no installation runs everywhere. Without network once they were installed.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runRing, skipRing } from '../optional-ring.ts';

const run = promisify(execFile);

/** A registry that takes longer is not reachable. */
const INSTALL_MS = 180_000;

const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'clients');

interface ClientSet {
  /** The variable that names its folder to the tests. */
  readonly variable: string;
  readonly packages: readonly string[];
  readonly install: (folder: string, packages: readonly string[]) => Promise<void>;
}

async function npmInstall(folder: string, packages: readonly string[]): Promise<void> {
  const quiet = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--loglevel=error'];
  await run('npm', ['install', '--prefix', folder, ...quiet, ...packages], { timeout: INSTALL_MS });
}

async function pipInstall(folder: string, packages: readonly string[]): Promise<void> {
  await run('python3', ['-m', 'venv', folder], { timeout: INSTALL_MS });
  const quiet = ['--quiet', '--no-input', '--disable-pip-version-check', '--no-compile'];
  const python = join(folder, 'bin', 'python');
  await run(python, ['-m', 'pip', 'install', ...quiet, ...packages], { timeout: INSTALL_MS });
}

const SETS: Readonly<Record<string, ClientSet>> = {
  'OpenAI Agents SDK': {
    variable: 'CLIENTS_AGENTS',
    packages: ['@openai/agents@0.20.0', 'openai@7.57.0', 'zod@4.6.7'],
    install: npmInstall,
  },
  Codex: { variable: 'CLIENTS_CODEX', packages: ['@openai/codex@0.169.0'], install: npmInstall },
  Python: {
    variable: 'CLIENTS_PYTHON',
    packages: ['openai==3.54.0', 'openai-agents==0.24.0', 'pydantic-ai-slim[openai]==2.68.0'],
    install: pipInstall,
  },
};

/** The folder of a set, installed at most once for each list of packages; throws when it cannot be had. */
async function folderOf({ packages, install }: ClientSet): Promise<string> {
  const folder = join(cache, createHash('sha256').update(packages.join(' ')).digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}`;
  try {
    mkdirSync(partial, { recursive: true });
    await install(partial, packages);
    renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
}

async function main(): Promise<number> {
  const environment: Record<string, string> = {};
  const installing = Object.entries(SETS).map(async ([name, set]) => {
    try {
      environment[set.variable] = await folderOf(set);
    } catch (failure) {
      skipRing(`clients (${name})`, `${set.packages.join(', ')} cannot be installed here`, failure);
    }
  });
  await Promise.all(installing);
  return runRing('clients', environment);
}

process.exitCode = await main();
