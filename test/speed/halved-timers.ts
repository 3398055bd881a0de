/** Preloaded into every process: a timer fires after half of its delay, as on a machine that does all else in half the time. */
import { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import promises from 'node:timers/promises';
import { promisify } from 'node:util';

type Callback = (...args: unknown[]) => void;

const half = (delayMs: number | undefined) => (delayMs !== undefined && delayMs > 1 ? delayMs / 2 : delayMs);

for (const name of ['setTimeout', 'setInterval'] as const) {
  const [plain, promised] = [
    timers[name],
    promises[name] as (delayMs?: number, ...args: unknown[]) => unknown,
  ];
  const halved = (callback: Callback, delayMs?: number, ...args: unknown[]) =>
    plain(callback, half(delayMs), ...args);
  const halvedPromise = (delayMs?: number, ...args: unknown[]) => promised(half(delayMs), ...args);
  Object.assign(promises, { [name]: halvedPromise });
  Object.assign(halved, { [promisify.custom]: halvedPromise });
  Object.assign(timers, { [name]: halved });
  Object.assign(globalThis, { [name]: halved });
}
syncBuiltinESMExports();

const PRELOAD = `--import ${import.meta.url}`;

interface Spawnable {
  spawn(options: { envPairs?: string[] }): unknown;
}

/** Children have the preload too, even if their parent chooses their environment. */
const spawnable = ChildProcess.prototype as unknown as Spawnable;
const { spawn } = spawnable;
spawnable.spawn = function spawnPreloaded(this: Spawnable, options) {
  const pairs = options.envPairs ?? [];
  const at = pairs.findIndex((pair) => pair.startsWith('NODE_OPTIONS='));
  if (at === -1) pairs.push(`NODE_OPTIONS=${PRELOAD}`);
  else if (pairs[at]?.includes(PRELOAD) === false) pairs[at] += ` ${PRELOAD}`;
  return spawn.call(this, options);
};
