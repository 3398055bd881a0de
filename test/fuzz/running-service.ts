/** The endpoints that sell a model's work, behind their request handlers, before a simulated upstream and some ledger. */

import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import type { Peppers } from '../../lambdas/access/core/keys/api-key.ts';
import type { KeyGate } from '../../lambdas/access/core/keys/key-gate.ts';
import { openCatalog } from '../../lambdas/inference/core/catalog/catalog.ts';
import type { Breaker } from '../../lambdas/inference/core/circuit/breaker.ts';
import { createCompletionEndpoint } from '../../lambdas/inference/core/completions/completion-endpoint.ts';
import { createTokenCount } from '../../lambdas/inference/core/completions/token-count.ts';
import { Idempotency } from '../../lambdas/inference/core/idempotency/idempotency.ts';
import type { ReplayStore } from '../../lambdas/inference/core/idempotency/ports.ts';
import { embeddings } from '../../lambdas/inference/core/kinds/embeddings/embeddings.ts';
import { images } from '../../lambdas/inference/core/kinds/images/images.ts';
import { createKindEndpoint } from '../../lambdas/inference/core/kinds/kind-endpoint.ts';
import { speech } from '../../lambdas/inference/core/kinds/speech/speech.ts';
import { chatFormat } from '../../lambdas/inference/formats/chat/format.ts';
import { chatCompletionRequest } from '../../lambdas/inference/formats/chat/schema.ts';
import { messagesFormat } from '../../lambdas/inference/formats/messages/format.ts';
import { messagesRequest } from '../../lambdas/inference/formats/messages/schema.ts';
import { responsesFormat } from '../../lambdas/inference/formats/responses/format.ts';
import { responsesRequest } from '../../lambdas/inference/formats/responses/schema.ts';
import {
  createEmbeddingCalls,
  createImageCalls,
  createSpeechCalls,
} from '../../lambdas/inference/providers/kinds/provider-calls.ts';
import { createProviders } from '../../lambdas/inference/providers/protocols.ts';
import { createSealedTokens } from '../../lambdas/inference/store/sealed-tokens.ts';
import { createBreaker } from '../../lambdas/inference/testing/circuit/memory-circuits.ts';
import { pollyClient } from '../../lambdas/inference/testing/providers/kinds/polly-calls.ts';
import type { Ledger } from '../../lambdas/ledger/core/admission.ts';
import type { After, Clock, StreamingEndpoint, UpstreamFetch } from '../../lambdas/platform/core/ports.ts';
import { createRequestHandler, type HostContext } from '../../lambdas/platform/http/request-handler.ts';
import { systemAfter, systemClock, systemRandom, systemUlid } from '../../lambdas/platform/system/system.ts';
import { webHandler } from '../../lambdas/platform/testing/web-response.ts';
import { startUpstream } from '../../tools/simulators/models/server.ts';
import { SIGNED_HEADERS } from '../../tools/simulators/testing/models/running-upstream.ts';

export type SurfaceName =
  | 'chat'
  | 'messages'
  | 'responses'
  | 'count_tokens'
  | 'input_tokens'
  | 'embeddings'
  | 'images'
  | 'speech';

export const PEPPERS = { current: 'pepper' };

/** The parts of the service that check the key and pay for a call. */
export interface Till {
  readonly gate: KeyGate;
  readonly ledger: Ledger;
  readonly store: ReplayStore;
}

/** The protocols of routes. */
export const PROTOCOLS = ['openai', 'openai-responses', 'anthropic', 'bedrock', 'gemini'] as const;

interface RouteFields {
  readonly id: string;
  readonly [field: string]: unknown;
}

interface ModelFields {
  readonly routes: readonly object[];
  readonly [field: string]: unknown;
}

/** A route to the simulated upstream at an origin, by default with every capability of conversations. */
export const routeTo = (origin: string, protocol: string, fields: RouteFields) => ({
  protocol,
  upstream_model: 'sim',
  capabilities: ['tools', 'json', 'vision', 'stream'],
  ...(protocol === 'bedrock'
    ? {}
    : { base_url: `${origin}/${protocol === 'gemini' ? 'v1beta' : 'v1'}`, secret: 'env:KEY' }),
  ...fields,
});

/** A model of a catalog. */
export const modelOf = (id: string, type: string, price: object, fields: ModelFields) => ({
  id,
  type,
  owned_by: 'sim',
  created: 1,
  price,
  ...(type === 'tts' ? { default_voice: 'alloy' } : {}),
  ...fields,
});

export const TOKEN_PRICE = { unit: 'per_million_tokens', input: 1, output: 2 };
const INPUT_PRICE = { unit: 'per_million_tokens', input: 1 };

export function catalogAt(origin: string) {
  const routes = (id: string, protocol = 'openai') => [routeTo(origin, protocol, { id })];
  const chat = (protocol: string) => ({
    routes: routes(`chat-${protocol}`, protocol),
    max_output_tokens: 100_000,
  });
  return {
    models: [
      ...PROTOCOLS.map((protocol) => modelOf(`sim/${protocol}`, 'chat', TOKEN_PRICE, chat(protocol))),
      modelOf('sim/embed', 'embeddings', INPUT_PRICE, { routes: routes('embed') }),
      modelOf('sim/image', 'image', { unit: 'per_image', image: 0.01 }, { routes: routes('image') }),
      modelOf('sim/speech', 'tts', INPUT_PRICE, { routes: routes('speech') }),
    ],
    defaults: { embeddings: 'sim/embed' },
  };
}

/** Every call tries its route, whatever became of those before. */
export const TRUSTING = {
  refresh: async () => {},
  admit: async () => ({ allowed: true }),
  succeeded: () => ({}),
  failed: () => {},
  broke: () => {},
  abandoned: () => {},
  flush: async () => {},
} as unknown as Breaker;

export type Service = Awaited<ReturnType<typeof startService>>;

/** The access to the routes: clients, catalog and clock. */
export interface FuzzRoute {
  readonly fetch: UpstreamFetch;
  bedrockClient(endpoint: string): BedrockRuntimeClient;
  /** The catalog for an upstream at an origin, in place of one with a route to each of its protocols. */
  readonly catalog?: (origin: string) => object;
  /** In place of the machine's time. */
  readonly time?: { readonly clock: Clock; readonly after: After };
}

export async function startService(
  { gate, ledger, store }: Till,
  upstreamRoute: FuzzRoute,
  breaker = createBreaker(),
) {
  const upstream = await startUpstream({ chunkDelayMs: 0 });
  const internalErrors: string[] = [];
  const log = {
    info: () => {},
    warn: () => {},
    error: (message: string, fields?: object) =>
      void internalErrors.push(`${message} ${JSON.stringify(fields)}`),
  };
  const { time = { clock: systemClock, after: systemAfter } } = upstreamRoute;
  const world = { ...time, random: systemRandom, ulid: systemUlid };
  const catalog = openCatalog('1', upstreamRoute.catalog?.(upstream.url) ?? catalogAt(upstream.url));
  const calls = {
    ...world,
    ledger,
    gate,
    log,
    breaker,
    fetch: upstreamRoute.fetch,
    bedrockClient: () => upstreamRoute.bedrockClient(upstream.url),
    readSecret: async () => 'key',
    readToken: async () => 'token',
    sign: async ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => ({
      ...headers,
      ...SIGNED_HEADERS,
    }),
    peppers: async () => PEPPERS,
    sealedTokens: (peppers: Peppers) => createSealedTokens(peppers, systemClock),
    catalog: async () => catalog,
    idempotency: new Idempotency({ store, marks: { markReplay: async () => {} }, gate, log, ...world }),
    // Its bodies are complete when their calls start.
    keyCheck: { checkKind: async () => true },
    requireCredit: async () => {},
  };
  const completions = { ...calls, providers: createProviders(calls) };
  const countResponse = (input_tokens: number) => ({ input_tokens });
  const endpoints: Readonly<Record<SurfaceName, StreamingEndpoint>> = {
    chat: createCompletionEndpoint(chatFormat, chatCompletionRequest, completions),
    messages: createCompletionEndpoint(messagesFormat, messagesRequest, completions),
    responses: createCompletionEndpoint(responsesFormat, responsesRequest, completions),
    count_tokens: createTokenCount(
      { format: messagesFormat, schema: messagesRequest, bodyOf: countResponse },
      calls,
    ),
    input_tokens: createTokenCount(
      { format: responsesFormat, schema: responsesRequest, bodyOf: countResponse },
      calls,
    ),
    embeddings: createKindEndpoint(embeddings, createEmbeddingCalls(calls), calls),
    images: createKindEndpoint(images, createImageCalls({ ...calls, download: calls.fetch }), calls),
    speech: createKindEndpoint(speech, createSpeechCalls({ ...calls, pollyClient }), calls),
  };
  const handlers = Object.fromEntries(
    Object.entries(endpoints).map(([name, endpoint]) => [
      name,
      webHandler(createRequestHandler(endpoint, envelopeOf(name as SurfaceName), calls)),
    ]),
  );

  /** One request through the endpoint and its handler. */
  function send(
    name: SurfaceName,
    init: RequestInit,
    host: Pick<HostContext, 'silenceMs'> = {},
  ): Promise<Response> {
    const request = new Request('https://service.test/', { method: 'POST', ...init });
    const handler = handlers[name];
    if (handler === undefined) throw new Error(`there is no ${name}`);
    return handler(request, { remainingTimeMs: () => 60_000, pathParameters: {}, ...host });
  }

  return { send, internalErrors, origin: upstream.url, stop: () => upstream.close() };
}

export const envelopeOf = (name: SurfaceName): 'openai' | 'messages' =>
  name === 'messages' || name === 'count_tokens' ? 'messages' : 'openai';
