/** Wires `POST /v1/chat/completions` for Lambda. */
import { createAccess } from '../../adapters/access.ts';
import { createCatalog } from '../../adapters/catalog-store.ts';
import { createDynamoClients } from '../../adapters/clients.ts';
import { createLedger } from '../../adapters/ledger.ts';
import { createLog } from '../../adapters/logger.ts';
import { DynamoReplayStore } from '../../adapters/replay-store.ts';
import { systemAfter, systemClock, systemRandom, systemUlid } from '../../adapters/system.ts';
import { requireVariable } from '../../contract/environment.ts';
import { TABLES } from '../../contract/tables.ts';
import { Idempotency } from '../../core/idempotency/idempotency.ts';
import { Completions } from '../../core/inference/completion.ts';
import { errorBody } from '../../edge/envelope.ts';
import { front } from '../../edge/front.ts';
import { streamed } from '../../edge/pipelines.ts';
import { sseResponse } from '../../edge/sse.ts';
import { createOpenAiProvider } from '../../providers/openai/provider.ts';
import { createChatCompletion } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { readSecret, peppers } = createAccess({ environment, log });
const { gate, ledger } = createLedger({ clients, environment, log });
const catalog = createCatalog({ ...clients, environment, log });
const replays = new DynamoReplayStore(clients.client, requireVariable(environment, TABLES.replays.variable));
const clock = systemClock;
const after = systemAfter;
const providers = { openai: createOpenAiProvider({ fetch, readSecret }) };

const endpoint = createChatCompletion({
  peppers,
  catalog,
  gate,
  idempotency: new Idempotency({ store: replays, gate, clock, after, log }),
  completions: new Completions({ ledger, providers, after, log }),
  random: systemRandom,
  ulid: systemUlid,
  after,
  eventStream: (frames, headers) => sseResponse(frames, { after, headers }),
  errorBody: (error, requestId) => errorBody(error, 'openai', requestId),
});

export const handler = streamed(front(endpoint, 'openai', { clock, ulid: systemUlid, log }));
