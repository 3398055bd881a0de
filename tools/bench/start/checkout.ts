/** A copy of the sources in a temporary folder, so that a start from nothing disturbs no build of the checkout itself. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '..', '..', '..');

/** The paths of a checkout that `npm start` reads. */
const SOURCES = [
  'bin',
  'lib',
  'lambdas',
  'console',
  'operator',
  'tools',
  'cdk.json',
  'package.json',
  'package-lock.json',
];

/** Settings of the shell that would make it another start: a variable that is undefined is not passed on. */
const UNSET = {
  CATALOG: undefined,
  CONFIG: undefined,
  DYNAMODB_ENDPOINT: undefined,
  HOLD_TTL_SECONDS: undefined,
  IAM: undefined,
  LOG_LEVEL: undefined,
};

/** A start that takes longer is stuck. */
const READY_TIMEOUT_MS = 60_000;

export interface SourceCopy {
  /** Starts the service on an empty state folder, stops it when it is ready, and waits until it has ended. */
  secondsToReady(): Promise<number>;
  remove(): Promise<void>;
}

export async function copyCheckout(): Promise<SourceCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-start-'));
  const checkout = join(folder, 'checkout');
  for (const source of SOURCES) await cp(join(root, source), join(checkout, source), { recursive: true });
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'));
  return {
    secondsToReady: async () => secondsToReady(checkout, await mkdtemp(join(folder, 'state-'))),
    remove: () => rm(folder, { recursive: true }),
  };
}

async function secondsToReady(checkout: string, stateDir: string): Promise<number> {
  const startedMs = performance.now();
  const service = spawn(process.execPath, ['tools/local/start.ts'], {
    cwd: checkout,
    env: { ...process.env, ...UNSET, PORT: '0', LOCAL_DIR: stateDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(service, 'close');
  let output = '';
  service.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const ready = new Promise<number>((resolve) => {
    createInterface({ input: service.stdout }).on('line', (line) => {
      output += `${line}\n`;
      if (line.startsWith('Ready in')) resolve((performance.now() - startedMs) / 1000);
    });
  });
  const seconds = await Promise.race([ready, closed, sleep(READY_TIMEOUT_MS, undefined, { ref: false })]);
  service.kill('SIGTERM');
  await closed;
  if (typeof seconds !== 'number') throw new Error(`the service did not become ready:\n${output}`);
  return seconds;
}
