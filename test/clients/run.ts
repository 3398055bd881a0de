/**
 * `npm run test:clients`: installs the clients of other languages and package trees, each set pinned and into a folder
 * of its own under `node_modules/.cache`, and runs the `clients` ring on them. A set that cannot be had here is skipped,
 * and says so; what needs no installation runs everywhere. Without network once they were installed.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { INSTALL_MS, installedFolder, pipInstall } from '../../tools/test-kit/cached-packages.ts';
import { runRing, skipRing } from '../optional-ring.ts';

const run = promisify(execFile);

/** A set of packages, all of them pinned by the files of its folder. */
interface ClientSet {
  /** The variable that names its folder to the tests. */
  readonly variable: string;
  readonly pins: string;
  readonly install: (folder: string) => Promise<unknown>;
}

const npmInstall = (folder: string) =>
  run('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], {
    timeout: INSTALL_MS,
  });

const SETS: Readonly<Record<string, ClientSet>> = {
  'OpenAI Agents SDK': { variable: 'CLIENTS_AGENTS', pins: 'agents', install: npmInstall },
  Codex: { variable: 'CLIENTS_CODEX', pins: 'codex', install: npmInstall },
  'Claude Code': { variable: 'CLIENTS_CLAUDE_CODE', pins: 'claude-code', install: npmInstall },
  opencode: { variable: 'CLIENTS_OPENCODE', pins: 'opencode', install: npmInstall },
  Python: { variable: 'CLIENTS_PYTHON', pins: 'python', install: pipInstall },
};

/** Its 73 packages take most of a minute to install. */
const THOROUGH_SETS: typeof SETS = {
  aider: { variable: 'CLIENTS_AIDER', pins: 'aider', install: pipInstall },
};

const isThorough = Number(process.env.THOROUGH ?? 1) > 1;

/** Throws when it cannot be had. */
const folderOf = ({ pins, install }: ClientSet): Promise<string> =>
  installedFolder({ ring: 'clients', pins: join(import.meta.dirname, 'packages', pins), install });

async function main(): Promise<number> {
  const environment: Record<string, string> = {};
  if (!isThorough)
    for (const name of Object.keys(THOROUGH_SETS))
      skipRing(`clients (${name})`, 'it takes a minute more', { message: 'THOROUGH=2 runs it' });
  const sets = { ...SETS, ...(isThorough ? THOROUGH_SETS : {}) };
  const installing = Object.entries(sets).map(async ([name, set]) => {
    try {
      environment[set.variable] = await folderOf(set);
    } catch (failure) {
      skipRing(`clients (${name})`, `its packages cannot be installed here`, failure);
    }
  });
  await Promise.all(installing);
  return runRing('clients', environment);
}

process.exitCode = await main();
