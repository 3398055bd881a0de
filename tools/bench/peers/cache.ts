/**
 * The peers as they are published, at pinned versions, in a cache folder of the user's and no part of this package:
 * installed at the first run, found again at the next.
 */
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const PORTKEY = '@portkey-ai/gateway';
const PORTKEY_VERSION = '1.15.2';

/**
 * The ranges of its own manifest resolve to releases with which it answers 500 to every stream; these are those of
 * its own lock file's time, with which it streams.
 */
const PORTKEY_OVERRIDES = { '@hono/node-server': '1.13.5', hono: '4.9.7' } as const;

const LITELLM_VERSION = '1.100.5';

/** A registry that takes longer is not reachable; the Python packages are 200 MB. */
const INSTALL_MS = 240_000;

const CACHE = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'unified-inference-service-bench',
);

const quiet: ExecFileSyncOptions = { stdio: ['ignore', 'ignore', 'pipe'], timeout: INSTALL_MS };

/** Runs `install` in an empty folder once; a folder whose installation did not end is made anew. */
function installed(name: string, install: (folder: string) => void): string {
  const folder = join(CACHE, name);
  const installedFile = join(folder, 'installed');
  if (existsSync(installedFile)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  install(folder);
  writeFileSync(installedFile, '');
  return folder;
}

/** Returns the gateway's program; throws when it cannot be installed. */
export function installPortkey(): string {
  const folder = installed(`portkey-${PORTKEY_VERSION}`, (cwd) => {
    const manifest = {
      private: true,
      dependencies: { [PORTKEY]: PORTKEY_VERSION },
      overrides: PORTKEY_OVERRIDES,
    };
    writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest));
    execFileSync('npm', ['install', '--prefix', cwd, '--ignore-scripts', '--no-audit', '--no-fund'], {
      ...quiet,
      cwd,
    });
  });
  return join(folder, 'node_modules', PORTKEY, 'build', 'start-server.js');
}

/** Returns the proxy's program; throws when there is no Python or no package to be had. */
export function installLiteLlm(): string {
  const folder = installed(`litellm-${LITELLM_VERSION}`, (cwd) => {
    execFileSync('python3', ['-m', 'venv', join(cwd, 'python')], quiet);
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-input', `litellm[proxy]==${LITELLM_VERSION}`];
    execFileSync(join(cwd, 'python', 'bin', 'python'), pip, quiet);
  });
  return join(folder, 'python', 'bin', 'litellm');
}
