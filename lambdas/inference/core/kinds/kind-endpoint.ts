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
import { controlsOf } from '../routing/route-controls.ts';
import {
  abortable,
  type RouteClock,
  type RouteClockOptions,
  startRouteClock,
} from '../upstream/route-clock.ts';
import type { CallKind, CallRequestFields, ProviderAttempt, ProviderCalls } from './call-kind.ts';
import { quoteKind } from './quote-kind.ts';

export interface KindEndpointDependencies extends PaidEndpointDependencies {
  readonly catalog: CatalogSource;
  readonly random: RandomSource;
}

export function createKindEndpoint<Request extends CallRequestFields, Output>(
  callKind: CallKind<Request, Output>,
  providers: ProviderCalls<JsonObject, Output>,
  dependencies: KindEndpointDependencies,
): StreamingEndpoint {
  const { catalog, random, after, hostEnds } = dependencies;
  const { kind, stream, schema, fields } = callKind;
  const read = async (
    httpRequest: globalThis.Request,
    { requestId }: CallContext,
    key: VerifiedKey,
  ): Promise<PaidCall<KindResult<Output>>> => {
    const { text, value } = await readJson(httpRequest);
    const request = validate(schema, value);
    const currentCatalog = await catalog();
    const namedModel = modelOf(currentCatalog, kind, request.model);
    const model = callKind.servable?.(request, namedModel) ?? namedModel;
    const { quote, estimate, body, headers, bodyOn } = quoteKind({
      kind,
      model,
      fields,
      request: callKind.toPayload(request, model),
      controls: controlsOf(request),
      chance: random,
      estimate: (sentFields) => callKind.estimate({ ...sentFields, model: request.model } as Request, model),
    });
    return {
      requestId,
      key,
      identity: text,
      stream,
      ...quote,
      headers,
      attempt: ({ model, route }, time) =>
        attemptKind(
          providers,
          { model, payload: bodyOn(route) },
          { ...time, after, route, stream, hostEnds },
        ),
      prepare: ({ output, clock }, call) =>
        callKind.prepare({
          ...call,
          request: { ...body, model: request.model } as Request,
          output,
          estimate,
          clock,
          headers,
          catalog: currentCatalog.version,
        }),
    };
  };
  return createPaidEndpoint({ kind, read }, dependencies);
}

/** The model that a request names, or the catalog's default for its kind. */
export function modelOf(
  catalog: Catalog,
  kind: Exclude<Model['type'], 'chat'>,
  name: string | null | undefined,
): Model {
  const modelName = name ?? catalog.defaults[kind];
  if (modelName === undefined) {
    throw new ServiceError('missing_field', `model is required: there is no default for ${kind}.`, {
      param: 'model',
    });
  }
  return requireModel(catalog, modelName, kind, 'model');
}

/** One try of one route for a call that is not a conversation, under its clocks. */
export interface KindResult<Output> {
  readonly output: Output;
  /** The clock of the attempt. It is closed already, unless the response is streamed. */
  readonly clock: RouteClock;
}

/** Runs the attempt. Throws `UpstreamFailure` if it ends without a response, or before a stream's first bytes. */
export async function attemptKind<Payload, Output>(
  servers: ProviderCalls<Payload, Output>,
  { model, payload }: Pick<ProviderAttempt<Payload>, 'model' | 'payload'>,
  options: RouteClockOptions,
): Promise<KindResult<Output>> {
  const { route, stream } = options;
  const serve = servers[route.protocol];
  if (serve === undefined) throw new Error(`protocol ${route.protocol} does not serve this kind of call`);
  const clock = startRouteClock(options);
  try {
    const output = await abortable(serve({ model, route, payload, clock }), clock.signal);
    if (stream) clock.stopFirstByte();
    else clock.close(true);
    return { output, clock };
  } catch (failure) {
    clock.close(false);
    throw failure;
  }
}
