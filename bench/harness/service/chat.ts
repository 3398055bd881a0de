/** The conversational endpoints on the real stores, wired as their handlers wire them, with an upstream of the bench's choice. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBedrockClients } from '../../../lambdas/adapters/aws/bedrock-clients.ts';
import { createSecretsClient, type DynamoClients } from '../../../lambdas/adapters/aws/clients.ts';
import { createRequestSigner } from '../../../lambdas/adapters/aws/request-signer.ts';
import { createSecretReader } from '../../../lambdas/adapters/aws/secrets.ts';
import { createCatalog, writeCatalog } from '../../../lambdas/adapters/inference/catalog-store.ts';
import { DynamoCircuitStore } from '../../../lambdas/adapters/inference/circuit-store.ts';
import { DynamoReplayStore } from '../../../lambdas/adapters/inference/replay-store.ts';
import { createLedger } from '../../../lambdas/adapters/ledger/create-ledger.ts';
import {
  systemAfter,
  systemClock,
  systemRandom,
  systemUlid,
} from '../../../lambdas/adapters/system/system.ts';
import { requireVariable } from '../../../lambdas/contract/environment.ts';
import { TABLES } from '../../../lambdas/contract/tables.ts';
import { Idempotency } from '../../../lambdas/core/idempotency/idempotency.ts';
import { Breaker } from '../../../lambdas/core/inference/circuit/breaker.ts';
import { Completions } from '../../../lambdas/core/inference/completions/completion.ts';
import { errorBody } from '../../../lambdas/edge/envelope.ts';
import { front, type Handler } from '../../../lambdas/edge/front.ts';
import { sseResponse } from '../../../lambdas/edge/sse.ts';
import { createChatCompletion } from '../../../lambdas/endpoints/create-chat-completion/endpoint.ts';
import { createMessage } from '../../../lambdas/endpoints/create-message/endpoint.ts';
import { createProviders } from '../../../lambdas/providers/protocols.ts';
import { REGION } from '../../../local/assembly/intrinsics.ts';
import { PEPPERS, SILENT, UNMEASURED } from './account.ts';

/** What the local catalog's simulated routes name as their secret; the simulated upstream takes any. */
const SIMULATED_KEYS = { SIM_KEY: 'simulated' };

/** The model that every bench calls. */
export const MODEL = 'sim/chat';

export type SurfaceName = 'chat' | 'messages';

const SURFACES = {
  chat: { create: createChatCompletion, envelope: 'openai', path: '/v1/chat/completions' },
  messages: { create: createMessage, envelope: 'messages', path: '/v1/messages' },
} as const;

export interface ChatOptions {
  readonly clients: DynamoClients;
  readonly environment: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  /** Chat when absent. */
  readonly surface?: SurfaceName;
}

/** Makes the local catalog the one in force, with its simulated routes at `upstreamUrl`. */
export async function applyCatalog(
  { client }: DynamoClients,
  environment: ChatOptions['environment'],
  upstreamUrl: string,
): Promise<void> {
  const text = readFileSync(
    join(import.meta.dirname, '..', '..', '..', 'local', 'seed', 'catalog.json'),
    'utf8',
  );
  const table = requireVariable(environment, TABLES.catalog.variable);
  await writeCatalog(client, table, text.replaceAll('{UPSTREAM_URL}', upstreamUrl));
}

/** What `handler.ts` makes, but for the Lambda host, the pepper's secret and the log lines. */
export function composeChat({ clients, environment, fetch, surface = 'chat' }: ChatOptions): Handler {
  const { create, envelope } = SURFACES[surface];
  const [log, clock, after] = [SILENT, systemClock, systemAfter];
  const { gate, ledger } = createLedger({ clients, environment, log, measure: UNMEASURED });
  const table = requireVariable(environment, TABLES.replays.variable);
  // The catalog names secrets of the environment only, so the client is never used.
  const secrets = createSecretsClient({ region: REGION });
  const bedrock = createBedrockClients({ region: REGION });
  const readSecret = createSecretReader({ client: secrets, environment: SIMULATED_KEYS, clock, log });
  const endpoint = create({
    peppers: async () => PEPPERS,
    catalog: createCatalog({ ...clients, environment, log }),
    gate,
    idempotency: new Idempotency({
      store: new DynamoReplayStore(clients.client, table),
      gate,
      clock,
      after,
      log,
    }),
    completions: new Completions({
      ledger,
      providers: createProviders({
        fetch,
        readSecret,
        bedrockClient: bedrock.client,
        sign: createRequestSigner(bedrock),
      }),
      breaker: new Breaker({
        store: new DynamoCircuitStore(clients.client, requireVariable(environment, TABLES.circuits.variable)),
        clock,
        after,
        ulid: systemUlid,
        log,
        count: () => {},
      }),
      after,
      log,
    }),
    random: systemRandom,
    ulid: systemUlid,
    clock,
    after,
    eventStream: (frames, options) => sseResponse(frames, { after, ...options }),
    errorBody: (error, requestId) => errorBody(error, envelope, requestId),
  });
  return front(endpoint, envelope, { clock, ulid: systemUlid, log });
}

export interface ChatCall {
  readonly credential: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly surface?: SurfaceName;
}

/** The longest a function may run; no bench comes near it. */
const CALL_MS = 900_000;

/** Makes one call; throws when it is not answered with 200. */
export async function callChat(
  handler: Handler,
  { credential, body, headers = {}, surface = 'chat' }: ChatCall,
): Promise<Response> {
  const request = new Request(`http://localhost${SURFACES[surface].path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${credential}`, ...headers },
    body: JSON.stringify(body),
  });
  const response = await handler(request, { pathParameters: {}, remainingTimeMs: () => CALL_MS });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return response;
}
