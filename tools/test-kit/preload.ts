/** Preloads a module into every process that this one starts, even if their parent chooses their environment. */
import { ChildProcess } from 'node:child_process';

interface Spawnable {
  spawn(options: { envPairs?: string[] }): unknown;
}

/** Called by the module with its own address, so that the children of its processes have it too. */
export function preloadIntoChildren(url: string): void {
  const preload = `--import ${url}`;
  const spawnable = ChildProcess.prototype as unknown as Spawnable;
  const { spawn } = spawnable;
  spawnable.spawn = function spawnPreloaded(this: Spawnable, options) {
    const pairs = options.envPairs ?? [];
    const at = pairs.findIndex((pair) => pair.startsWith('NODE_OPTIONS='));
    if (at === -1) pairs.push(`NODE_OPTIONS=${preload}`);
    else if (pairs[at]?.includes(preload) === false) pairs[at] += ` ${preload}`;
    return spawn.call(this, options);
  };
}
