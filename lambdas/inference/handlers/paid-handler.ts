/** Lambda handlers of the paid routes, and the dependencies of their endpoints, created once per process and reused. */

import type { Peppers } from '../../access/core/keys/api-key.ts';
import { createSecrets } from '../../access/store/keys/create-secrets.ts';
import { createExhaustion } from '../../ledger/core/alerts/alerts.ts';
import { createAlerts } from '../../ledger/store/alert-store.ts';
import { createLedger, type LedgerOptions } from '../../ledger/store/create-ledger.ts';
import { createKeySpend } from '../../ledger/store/usage/key-spend.ts';
import { DynamoUnbilledStore } from '../../ledger/store/usage/unbilled-store.ts';
import { createReplayMarks } from '../../ledger/store/usage-store.ts';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { ConnectionPool } from '../../platform/connections/connection-pool.ts';
import { createExchange } from '../../platform/connections/http-exchange.ts';
import { createUpstreamFetch } from '../../platform/connections/upstream-fetch.ts';
import { METRICS } from '../../platform/contract/metrics.ts';
import type { Surface } from '../../platform/contract/route.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import type { Log, Measure, StreamingEndpoint, UpstreamFetch } from '../../platform/core/ports.ts';
import type { StageCheck } from '../../platform/core/stage-check.ts';
import {
  createDataResources,
  type Environment,
  oncePerEnvironment,
} from '../../platform/handlers/resources.ts';
import { stageCheck } from '../../platform/handlers/stage-check.ts';
import { streamed } from '../../platform/http/pipelines.ts';
import { createRequestHandler } from '../../platform/http/request-handler.ts';
import { createMeasure } from '../../platform/system/metrics.ts';
import { systemAfter, systemClock, systemRandom, systemUlid } from '../../platform/system/system.ts';
import type { CatalogSource } from '../core/catalog/catalog.ts';
import { Breaker } from '../core/circuit/breaker.ts';
import { Idempotency } from '../core/idempotency/idempotency.ts';
import { createProviders } from '../providers/protocols.ts';
import { createAccessTokens } from '../store/access-tokens.ts';
import { createBedrockClients, createRequestSigner } from '../store/bedrock-clients.ts';
import { DynamoCircuitStore } from '../store/circuit-store.ts';
import { DynamoReplayStore } from '../store/replay-store.ts';
import { createSealedTokens } from '../store/sealed-tokens.ts';
import { catalogSource } from './catalog.ts';
import { sharedHost } from './host-state.ts';

export interface PaidResourceOptions {
  readonly environment: Environment;
  readonly log: Log;
  readonly clients: DynamoClients;
  readonly access: ReturnType<typeof createSecrets>;
  readonly measure: Measure;
  readonly catalog: CatalogSource;
  /** Sends requests to upstreams. Default: a pool of connections. */
  readonly fetch?: UpstreamFetch;
  /** Fires when the host ends the calls that are open. */
  readonly hostEnds?: AbortSignal;
  /** The check that the process may serve. If absent, it may. */
  readonly mayServe?: StageCheck;
  /** Returns the leases of a shared host. */
  readonly leased?: LedgerOptions['leased'];
}

export type PaidResources = ReturnType<typeof createPaidResources>;

/** Throws an error that names the variable when one is not set. */
export function createPaidResources(options: PaidResourceOptions) {
  const { environment, log, clients, access, measure, catalog, hostEnds, mayServe } = options;
  const world = { clock: systemClock, after: systemAfter, random: systemRandom, ulid: systemUlid };
  const replays = new DynamoReplayStore(clients.client, requireTable(environment, 'replays'));
  const marks = createReplayMarks(clients.client, requireTable(environment, 'usage'));
  const table = requireTable(environment, 'circuits');
  const unbilled = new DynamoUnbilledStore(clients.client, table, systemClock);
  const spend = createKeySpend({ clients, environment });
  const ledger = createLedger({
    clients,
    environment,
    log,
    measure,
    unbilled,
    spend,
    leased: options.leased,
  });
  const idempotency = new Idempotency({ ...world, store: replays, marks, gate: ledger.gate, log });
  const exchange = createExchange(new ConnectionPool(), () => {
    measure({ values: { [METRICS.requestsRepeated]: 1 } });
  });
  const fetch = options.fetch ?? createUpstreamFetch(exchange);
  const tokens = createAccessTokens({ fetch, readSecret: access.readSecret, clock: systemClock });
  return {
    ...world,
    ...access,
    ...ledger,
    /** The HTTP exchange with upstreams, over one pool of connections. */
    exchange,
    fetch: tokens.watched(fetch),
    readToken: tokens.read,
    log,
    sealedTokens: (peppers: Peppers) => createSealedTokens(peppers, systemClock),
    catalog,
    hostEnds,
    mayServe,
    onExhausted: mayServe && createExhaustion(createAlerts({ clients, environment, log, stage: mayServe })),
    breaker: new Breaker({
      ...world,
      store: new DynamoCircuitStore(clients.client, table, systemClock),
      log,
      count: (event) =>
        measure({ values: { [METRICS[event === 'routeFailed' ? event : 'circuitOpened']]: 1 } }),
    }),
    idempotency,
  };
}

/**
 * Returns the paid calls of a process. Throws an error that names the variable if the environment lacks one.
 * Concurrently starts the reads that the first call would otherwise wait for in sequence, while the function still
 * loads. The call reuses the open connections. If a read fails here, the call repeats it.
 */
export const paidCalls = oncePerEnvironment((environment) => {
  const { clients, log } = createDataResources();
  const calls = createPaidResources({
    environment,
    log,
    clients,
    access: createSecrets({ environment, log }),
    measure: createMeasure(),
    catalog: catalogSource(),
    hostEnds: sharedHost.endOfCalls.signal,
    mayServe: stageCheck(),
    leased: () => sharedHost.leased,
  });
  for (const read of [calls.peppers(), calls.catalog()]) read.catch(() => {});
  return calls;
});

/** Throws an error that names the variable when the environment lacks one. */
export function paidHandler(surface: Surface, compose: (calls: PaidResources) => StreamingEndpoint) {
  const calls = paidCalls();
  return streamed(createRequestHandler(compose(calls), surface, calls));
}

/** The upstream protocols of chat calls, with the clients that they need. */
export function createChatProviders(
  calls: Pick<PaidResources, 'fetch' | 'exchange' | 'readSecret' | 'readToken'>,
) {
  const bedrock = createBedrockClients({}, calls.exchange);
  return createProviders({ ...calls, bedrockClient: bedrock.client, sign: createRequestSigner(bedrock) });
}
