/**
 * Preloaded into a process that is measured (`NODE_OPTIONS=--import`): writes what the process holds to
 * `<SAMPLES_FOLDER>/<pid>`, a line for each round that the file `round` of that folder names.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const POLL_MS = 250;

const { SAMPLES_FOLDER: folder = '', POWERTOOLS_SERVICE_NAME: service = '' } = process.env;
const file = join(folder, String(process.pid));

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function readRound(): number {
  try {
    return Number(readFileSync(join(folder, 'round'), 'utf8'));
  } catch {
    return 0;
  }
}

const write = (line: object) => appendFileSync(file, `${JSON.stringify(line)}\n`);

/** The last round with a sample: a process that starts during a round belongs to it. */
let round = 0;
let isSampling = false;

const timer = setInterval(async () => {
  const next = readRound();
  if (isSampling || next === round) return;
  isSampling = true;
  // Finalizers of the first collection release what the second one finds.
  collect();
  await nextTurn();
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  write({
    round: next,
    heap: (heapUsed + external) / 1000,
    resident: rss / 1000,
    handles: process.getActiveResourcesInfo().filter((type) => type !== 'Timeout').length,
    // Of all timers in the heap: `getActiveResourcesInfo` counts none that keeps no process alive.
    timers: queryObjects(timer.constructor as new () => object, { format: 'count' }),
    files: readdirSync('/proc/self/fd').length,
  });
  round = next;
  isSampling = false;
}, POLL_MS).unref();

write({ process: `${service} (${basename(process.argv[1] ?? '').replace(/\..*$/, '')})` });
