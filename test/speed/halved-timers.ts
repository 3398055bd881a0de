/** Preloaded into every process: a timer fires after half of its delay, as on a machine that does all else in half the time. */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import promises from 'node:timers/promises';
import { promisify } from 'node:util';
import { preloadIntoChildren } from '../../tools/test-kit/preload.ts';

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

preloadIntoChildren(import.meta.url);
