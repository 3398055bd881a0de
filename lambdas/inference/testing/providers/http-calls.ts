/** Calls of a provider over a real wire, to the routes of a catalog. */
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { ConnectionPool } from '../../../platform/connections/connection-pool.ts';
import { createExchange } from '../../../platform/connections/http-exchange.ts';
import { createUpstreamFetch } from '../../../platform/connections/upstream-fetch.ts';
import { type CatalogRoute, parseCatalog } from '../../core/catalog/catalog-document.ts';
import {
  type ChatPayload,
  type Provider,
  type ResponseIdentity,
  type RouteEvent,
  type RouteResponse,
  UpstreamFailure,
} from '../../core/upstream/provider.ts';
import type { OpenAiDependencies } from '../../providers/openai/provider.ts';
import { SIGNATURES } from './sealing.ts';
import { collect, eventsIn } from './streams.ts';

export const CANARY = 'heron-7f3a';
export const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8' };
export const JSON_TYPE = { 'content-type': 'application/json' };

/** Long enough for a busy machine to notice that a connection has closed. */
const CLOSED_WITHIN_MS = 2_000;

/** The HTTP dependencies of the providers. Every secret but one exists. */
export const DEPENDENCIES: OpenAiDependencies = {
  fetch: createUpstreamFetch(createExchange(new ConnectionPool())),
  readSecret: async (reference) => {
    if (reference === 'env:ABSENT') throw new Error(`there is no secret ${CANARY}`);
    return `key-of-${reference}`;
  },
  readToken: async (issuer, reference) => {
    if (reference === 'env:ABSENT') throw new Error(`there is no token ${CANARY}`);
    return `${issuer}-token-of-${reference}`;
  },
  sign: async ({ headers }) => ({ ...headers, authorization: 'signed' }),
};

export interface Call {
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
  readonly secret?: string;
  readonly maxBytes?: number;
  /** In place of the protocol's own. */
  readonly payload?: ChatPayload;
}

export interface HttpProtocol {
  readonly protocol: CatalogRoute['protocol'];
  readonly provider: Provider;
  readonly identity: ResponseIdentity;
  /** A request of the protocol's own format. */
  readonly payload: (stream: boolean) => ChatPayload;
}

/** One chat call to the server at an origin. */
export const callsOf =
  ({ protocol, provider, identity, payload: ownPayload }: HttpProtocol) =>
  (
    origin: string,
    { stream = false, signal, secret, payload = ownPayload(stream), maxBytes = 1_000_000 }: Call = {},
  ): Promise<RouteResponse> =>
    provider.chat({
      route: routeOf({ protocol, base_url: `${origin}/v1`, ...(secret === undefined ? {} : { secret }) }),
      payload,
      identity,
      signatures: SIGNATURES,
      maxBytes,
      signal: signal ?? new AbortController().signal,
    });

/** A route of a model as the catalog would hold it. */
export function routeOf(fields: object, type = 'chat'): CatalogRoute {
  const price = { unit: 'per_million_tokens', input: 1, ...(type === 'chat' && { output: 1 }) };
  const route = { id: 'sim-a', upstream_model: 'upstream-model', ...fields };
  const model = { id: 'sim/chat', type, owned_by: 'sim', created: 1, price, routes: [route] };
  const [parsed] = parseCatalog({ models: [model] }).models[0]?.routes ?? [];
  if (parsed === undefined) throw new Error('the catalog has no route');
  return parsed;
}

/** Returns the upstream failure of the work. Throws if the work ended in any other way. */
export async function failureOf(work: Promise<unknown>): Promise<UpstreamFailure> {
  const failure = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(failure instanceof UpstreamFailure)) throw new Error(`not an upstream failure: ${inspect(failure)}`);
  return failure;
}

/** Everything that a log could have of a failure. */
export const everythingIn = (failure: unknown): string =>
  [String(failure), JSON.stringify(failure), inspect(failure, { depth: null })].join('\n');

/** The events of a streamed reply, not yet read. */
export async function streamOf(response: Promise<RouteResponse>): Promise<AsyncIterable<RouteEvent>> {
  const settled = await response;
  if (settled.kind !== 'stream') throw new Error('the reply is no stream');
  return eventsIn(settled.batches);
}

/** Reads a streamed reply to its end. */
export const eventsOf = async (response: Promise<RouteResponse>): Promise<RouteEvent[]> =>
  collect(await streamOf(response));

/** Waits until something holds; fails after two seconds. */
export async function until(done: () => boolean): Promise<void> {
  for (const start = Date.now(); !done(); await pause(5))
    if (Date.now() - start > CLOSED_WITHIN_MS) throw new Error('waited in vain');
}
