/** The endpoint of a kind of call other than chat that takes a JSON body. */
import type { VerifiedKey } from '../../../access/core/api-key.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CallContext, RandomSource, StreamingEndpoint } from '../../../platform/core/ports.ts';
import type { PaidCall } from '../call.ts';
import { type Catalog, type CatalogSource, requireModel } from '../catalog/catalog.ts';
import type { Model } from '../catalog/catalog-document.ts';
import { createPaidEndpoint, type PaidEndpointDependencies } from '../paid-endpoint.ts';
import { quoteKind } from '../quote.ts';
import { controlsOf } from '../routing/route-controls.ts';
import {
  abortable,
  type RouteClock,
  type RouteClockOptions,
  startRouteClock,
} from '../upstream/route-clock.ts';
import type { CallKind, CallRequestFields, ProviderAttempt, ProviderCalls } from './call-kind.ts';

export interface KindEndpointDependencies extends PaidEndpointDependencies {
  readonly catalog: CatalogSource;
  readonly random: RandomSource;
}

export function createKindEndpoint<Request extends CallRequestFields, Answer>(
  callKind: CallKind<Request, Answer>,
  providers: ProviderCalls<JsonObject, Answer>,
  dependencies: KindEndpointDependencies,
): StreamingEndpoint {
  const { catalog, random, after, hostEnds } = dependencies;
  const { kind, stream, schema } = callKind;
  const read = async (
    sent: globalThis.Request,
    { requestId }: CallContext,
    key: VerifiedKey,
  ): Promise<PaidCall<KindAnswer<Answer>>> => {
    const { text, value } = await readJson(sent);
    const request = validate(schema, value);
    const known = await catalog();
    const model = modelOf(known, kind, request.model);
    const payload = callKind.toPayload(request, model);
    const estimate = callKind.estimate(request, model);
    return {
      requestId,
      key,
      identity: text,
      stream,
      ...quoteKind(kind, { models: [model], controls: controlsOf(request), chance: random }, estimate),
      attempt: ({ model, route }, time) =>
        attemptKind(providers, { model, payload }, { ...time, after, route, stream, hostEnds }),
      prepare: ({ answer, clock }, answered) =>
        callKind.prepare({ ...answered, request, answer, estimate, clock, catalog: known.version }),
    };
  };
  return createPaidEndpoint({ read }, dependencies);
}

/** The model that a request names, or the catalog's default for its kind. */
export function modelOf(
  catalog: Catalog,
  kind: Exclude<Model['type'], 'chat'>,
  name: string | null | undefined,
): Model {
  const wanted = name ?? catalog.defaults[kind];
  if (wanted === undefined) {
    throw new ServiceError('missing_field', `model is required: there is no default for ${kind}.`, {
      param: 'model',
    });
  }
  return requireModel(catalog, wanted, kind, 'model');
}

/** One try of one route for a call that is not a conversation, under its clocks. */
export interface KindAnswer<Answer> {
  readonly answer: Answer;
  /** Closed already, unless the answer is streamed. */
  readonly clock: RouteClock;
}

/** Runs the attempt; throws `UpstreamFailure` when it ends without an answer, or before a stream's first bytes. */
export async function attemptKind<Payload, Answer>(
  servers: ProviderCalls<Payload, Answer>,
  { model, payload }: Pick<ProviderAttempt<Payload>, 'model' | 'payload'>,
  options: RouteClockOptions,
): Promise<KindAnswer<Answer>> {
  const { route, stream } = options;
  const serve = servers[route.protocol];
  if (serve === undefined) throw new Error(`protocol ${route.protocol} does not serve this kind of call`);
  const clock = startRouteClock(options);
  try {
    const answer = await abortable(serve({ model, route, payload, clock }), clock.signal);
    if (stream) clock.begun();
    else clock.close(true);
    return { answer, clock };
  } catch (failure) {
    clock.close(false);
    throw failure;
  }
}
