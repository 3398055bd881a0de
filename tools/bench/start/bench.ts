/**
 * The duration of `npm start` until the first call is possible: on a fresh checkout, and with nothing to build. It starts
 * in a copy of the sources, so that a start from nothing disturbs no build of the checkout itself.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchMetric } from '../harness/report.ts';
import { median } from '../harness/statistics.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

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

/** The design's wish: a person does not look away. */
const READY_SECONDS = 5;
/** The first start bundles and minifies 63 functions, which is most of it, and synthesizes four stacks. */
const FIRST_READY_SECONDS = 30;

/** A start that takes longer is stuck. */
const READY_TIMEOUT_MS = 60_000;

/** After the first one. */
const STARTS = 3;

export async function measureStart(): Promise<readonly BenchMetric[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-start-'));
  try {
    const checkout = await copySources(folder);
    const start = async () => secondsToReady(checkout, await mkdtemp(join(folder, 'state-')));
    const first = await start();
    const later: number[] = [];
    while (later.length < STARTS) later.push(await start());
    return [
      {
        name: 'start: on a fresh checkout',
        value: first,
        unit: 's',
        most: FIRST_READY_SECONDS,
        note: 'a copy of the sources with these node_modules; bundles and synthesizes',
      },
      {
        name: 'start: nothing to build',
        value: median(later),
        unit: 's',
        most: READY_SECONDS,
        note: 'with an empty state folder, so tables, catalog and demo account are made',
      },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns a checkout in the folder, which has the sources and packages of this one, and nothing built. */
export async function copySources(folder: string): Promise<string> {
  const checkout = join(folder, 'checkout');
  for (const source of SOURCES) await cp(join(ROOT, source), join(checkout, source), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  return checkout;
}

/** Starts the service without settings of the shell, stops it when it is ready, and waits until it has ended. */
export async function secondsToReady(checkout: string, stateDir: string): Promise<number> {
  const startedMs = performance.now();
  const { PATH = '', HOME = '' } = process.env;
  const service = spawn(process.execPath, ['tools/local/start.ts'], {
    cwd: checkout,
    env: { PATH, HOME, PORT: '0', LOCAL_DIR: stateDir },
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
