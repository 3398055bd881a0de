/** What every endpoint that sells a model's work is built from, made once and kept warm. */
import { requireVariable } from '../../contract/environment.ts';
import { METRICS } from '../../contract/metrics.ts';
import { TABLES } from '../../contract/tables.ts';
import { Idempotency } from '../../core/idempotency/idempotency.ts';
import { Breaker } from '../../core/inference/circuit/breaker.ts';
import type { Log } from '../../core/ports.ts';
import { createAccess } from '../access/peppers.ts';
import { createDynamoClients } from '../aws/clients.ts';
import { createLedger } from '../ledger/create-ledger.ts';
import { createMetric } from '../system/metrics.ts';
import { systemAfter, systemClock, systemRandom, systemUlid } from '../system/system.ts';
import { createCatalog } from './catalog-store.ts';
import { DynamoCircuitStore } from './circuit-store.ts';
import { DynamoReplayStore } from './replay-store.ts';

export interface PaidCallOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** Throws an error that names the variable when one is not set. */
export function createPaidCalls({ environment, log }: PaidCallOptions) {
  const clients = createDynamoClients();
  const { readSecret, peppers } = createAccess({ environment, log });
  const { gate, keys, ledger, wallets, usage } = createLedger({ clients, environment, log });
  const store = new DynamoReplayStore(clients.client, requireVariable(environment, TABLES.replays.variable));
  const circuits = new DynamoCircuitStore(
    clients.client,
    requireVariable(environment, TABLES.circuits.variable),
  );
  const metric = createMetric();
  const world = { clock: systemClock, after: systemAfter, random: systemRandom, ulid: systemUlid };
  return {
    ...world,
    readSecret,
    peppers,
    gate,
    keys,
    ledger,
    wallets,
    usage,
    catalog: createCatalog({ ...clients, environment, log }),
    breaker: new Breaker({ ...world, store: circuits, log, count: (event) => metric(METRICS[event], 1) }),
    idempotency: new Idempotency({ store, gate, clock: world.clock, after: world.after, log }),
  };
}
