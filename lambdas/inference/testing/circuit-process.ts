/** A process of its own that calls one route when its parent says so: the breaker raced as separate functions race it. */
import { flushCompileCache } from 'node:module';
import { engineClients } from '../../../tools/test-kit/engine.ts';
import type { Breaker } from '../core/circuit/breaker.ts';
import { DynamoCircuitStore } from '../store/circuit-store.ts';
import { ACCOUNT, DEAD, PAYING, ROUTE } from './circuit/fleet.ts';
import { createBreaker } from './circuit/memory-circuits.ts';

/** One call of the route. */
export interface Drill {
  readonly endpoint: string;
  readonly table: string;
  readonly isDead: boolean;
  /** The time on the clock of the process. */
  readonly nowMs: number;
}

/** The result of one call. */
export interface DrillResult {
  readonly outcome: 'tried' | 'probed' | 'skipped';
  /** The logged messages. */
  readonly lines: readonly string[];
  readonly openings: number;
  readonly writes: number;
  readonly reads: number;
}

let nowMs = 0;
let lines: string[] = [];
let openings = 0;
let writes = 0;
let reads = 0;
let breaker: Breaker | undefined;

function breakerOn({ endpoint, table }: Drill): Breaker {
  const dynamo = new DynamoCircuitStore(engineClients(endpoint).client, table, () => nowMs);
  const note = (message: string) => lines.push(message);
  return createBreaker({
    store: {
      read: (keys) => {
        reads += 1;
        return dynamo.read(keys);
      },
      write: (key, change) => {
        writes += 1;
        return dynamo.write(key, change);
      },
    },
    clock: () => nowMs,
    log: { info: note, warn: note, error: note },
    count: (event) => {
      if (event === 'circuitOpened') openings += 1;
    },
  });
}

async function run(drill: Drill): Promise<DrillResult> {
  breaker ??= breakerOn(drill);
  nowMs = drill.nowMs;
  [lines, openings, writes, reads] = [[], 0, 0, 0];
  await breaker.refresh([ROUTE], ACCOUNT);
  const pass = await breaker.admit(ROUTE, { accountId: ACCOUNT, spentAmount: PAYING });
  if (pass.allowed) {
    if (drill.isDead) breaker.failed(DEAD, pass);
    else breaker.succeeded(pass);
  }
  await breaker.flush();
  const outcome = !pass.allowed ? 'skipped' : pass.probe === undefined ? 'tried' : 'probed';
  return { outcome, lines, openings, writes, reads };
}

process.on('message', async (drill: Drill) => {
  process.send?.(await run(drill));
});
process.send?.('ready');
// A killed process keeps nothing by itself of what it has compiled (NODE_COMPILE_CACHE).
flushCompileCache();
