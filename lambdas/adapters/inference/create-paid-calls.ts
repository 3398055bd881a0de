/** What every endpoint that sells a model's work is built from, made once and kept warm. */

import { METRICS } from '../../contract/metrics.ts';
import { requireTable } from '../../contract/tables.ts';
import type { Peppers } from '../../core/access/api-key.ts';
import { Idempotency } from '../../core/idempotency/idempotency.ts';
import type { CatalogSource } from '../../core/inference/catalog/catalog.ts';
import { Breaker } from '../../core/inference/circuit/breaker.ts';
import type { Log, Measure } from '../../core/ports.ts';
import { createSecrets } from '../access/create-secrets.ts';
import { createDynamoClients, type DynamoClients } from '../aws/clients.ts';
import { ConnectionPool } from '../connections/connection-pool.ts';
import { createExchange } from '../connections/http-exchange.ts';
import { createUpstreamFetch } from '../connections/upstream-fetch.ts';
import { createLedger } from '../ledger/create-ledger.ts';
import { createKeySpend } from '../ledger/usage/key-spend.ts';
import { DynamoUnbilledStore } from '../ledger/usage/unbilled-store.ts';
import { createReplayMarks } from '../ledger/usage-store.ts';
import { createCapsules } from '../system/capsules.ts';
import { createMeasure } from '../system/metrics.ts';
import { systemAfter, systemClock, systemRandom, systemUlid } from '../system/system.ts';
import { createAccessTokens } from './access-tokens.ts';
import { createCatalog } from './catalog-store.ts';
import { DynamoCircuitStore } from './circuit-store.ts';
import { DynamoReplayStore } from './replay-store.ts';

export interface PaidCallOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** The parts that reach outside; made for Lambda unless given. */
  readonly clients?: DynamoClients;
  readonly access?: ReturnType<typeof createSecrets>;
  readonly fetch?: typeof globalThis.fetch;
  readonly measure?: Measure;
  readonly catalog?: CatalogSource;
  /** Fires when the host ends the calls that are open. */
  readonly hostEnds?: AbortSignal;
}

export type PaidCalls = ReturnType<typeof createPaidCalls>;

/** Throws an error that names the variable when one is not set. */
export function createPaidCalls({
  environment,
  log,
  clients = createDynamoClients(),
  access = createSecrets({ environment, log }),
  measure = createMeasure(),
  fetch,
  catalog = createCatalog({ ...clients, environment, log }),
  hostEnds,
}: PaidCallOptions) {
  const world = { clock: systemClock, after: systemAfter, random: systemRandom, ulid: systemUlid };
  const replays = new DynamoReplayStore(clients.client, requireTable(environment, 'replays'));
  const marks = createReplayMarks(clients.client, requireTable(environment, 'usage'));
  const table = requireTable(environment, 'circuits');
  const unbilled = new DynamoUnbilledStore(clients.client, table, systemClock);
  const spend = createKeySpend({ clients, environment });
  const ledger = createLedger({ clients, environment, log, measure, unbilled, spend });
  const exchange = createExchange(new ConnectionPool(), () => {
    measure({ values: { [METRICS.requestsRepeated]: 1 } });
  });
  const upstreamFetch = fetch ?? createUpstreamFetch(exchange);
  const tokens = createAccessTokens({
    fetch: upstreamFetch,
    readSecret: access.readSecret,
    clock: systemClock,
  });
  return {
    ...world,
    ...access,
    ...ledger,
    /** How upstreams are reached, over one pool of connections. */
    exchange,
    fetch: tokens.watched(upstreamFetch),
    readToken: tokens.read,
    log,
    capsules: (peppers: Peppers) => createCapsules(peppers, systemClock),
    catalog,
    hostEnds,
    breaker: new Breaker({
      ...world,
      store: new DynamoCircuitStore(clients.client, table, systemClock),
      log,
      count: (event) => measure({ values: { [METRICS[event]]: 1 } }),
    }),
    idempotency: new Idempotency({ ...world, store: replays, marks, gate: ledger.gate, log }),
  };
}
