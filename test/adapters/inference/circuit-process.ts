/** A process of its own that calls one route when its parent says so: the breaker raced as separate functions race it. */
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoCircuitStore } from '../../../lambdas/adapters/inference/circuit-store.ts';
import { systemAfter, systemUlid } from '../../../lambdas/adapters/system/system.ts';
import { Breaker } from '../../../lambdas/core/inference/circuit/breaker.ts';
import type { RouteCircuits } from '../../../lambdas/core/inference/circuit/circuit.ts';
import { ACCOUNT, DEAD, ROUTE } from '../../core/inference/circuit/fleet.ts';
import { engineClients } from '../engine.ts';

export interface Drill {
  readonly endpoint: string;
  readonly table: string;
  readonly durationMs: number;
  /** Between two calls. */
  readonly pauseMs: number;
  readonly takesMs: number;
  readonly isDead: boolean;
  /** How far the clocks of all processes are ahead. */
  readonly aheadMs: number;
}

export interface DrillResult {
  readonly tries: number;
  readonly probes: number;
  readonly skipped: number;
  /** When the last try began, milliseconds since the drill did. */
  readonly lastTryMs: number;
  /** What was logged. */
  readonly lines: readonly string[];
  readonly openings: number;
  readonly writes: number;
  readonly reads: number;
}

let aheadMs = 0;
let lines: string[] = [];
let openings = 0;
let writes = 0;
let reads = 0;
let breaker: Breaker | undefined;

function createBreaker({ endpoint, table }: Drill): Breaker {
  const dynamo = new DynamoCircuitStore(engineClients(endpoint).client, table);
  const note = (message: string) => lines.push(message);
  return new Breaker({
    store: {
      load: () => {
        reads += 1;
        return dynamo.load();
      },
      save: (route: RouteCircuits) => {
        writes += 1;
        return dynamo.save(route);
      },
    },
    clock: () => Date.now() + aheadMs,
    after: systemAfter,
    ulid: systemUlid,
    log: { info: note, warn: note, error: note },
    count: (event) => {
      if (event === 'circuitOpened') openings += 1;
    },
  });
}

async function run(drill: Drill): Promise<DrillResult> {
  breaker ??= createBreaker(drill);
  aheadMs = drill.aheadMs;
  [lines, openings, writes, reads] = [[], 0, 0, 0];
  const result = { tries: 0, probes: 0, skipped: 0, lastTryMs: 0 };
  const beganMs = Date.now();
  while (Date.now() - beganMs < drill.durationMs) {
    await breaker.refresh();
    const pass = await breaker.admit(ROUTE, ACCOUNT);
    if (pass.allowed) {
      result.tries += 1;
      result.lastTryMs = Date.now() - beganMs;
      if (pass.claimId !== undefined) result.probes += 1;
      await sleep(drill.takesMs);
      if (drill.isDead) breaker.failed(DEAD, pass);
      else breaker.succeeded(pass);
      await breaker.flush();
    } else result.skipped += 1;
    await sleep(drill.pauseMs);
  }
  return { ...result, lines, openings, writes, reads };
}

process.on('message', async (drill: Drill) => {
  process.send?.(await run(drill));
});
process.send?.('ready');
// A killed process keeps nothing by itself of what it has compiled (NODE_COMPILE_CACHE).
flushCompileCache();
