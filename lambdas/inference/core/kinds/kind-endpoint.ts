/** The endpoint of a kind of call other than chat that takes a JSON body. */
import type { VerifiedKey } from '../../../access/core/keys/api-key.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type {
  CallContext,
  HttpRequest,
  RandomSource,
  StreamingEndpoint,
} from '../../../platform/core/ports.ts';
import type { Deliver, PaidCall } from '../call.ts';
import { type Catalog, requireModel } from '../catalog/catalog.ts';
import type { Model } from '../catalog/catalog-document.ts';
import { createPaidEndpoint, type PaidEndpointDependencies } from '../paid-endpoint.ts';
import { NO_CONTROLS } from '../routing/route-controls.ts';
import {
  abortable,
  type RouteClock,
  type RouteClockOptions,
  startRouteClock,
} from '../upstream/route-clock.ts';
import type {
  CallKind,
  CallRequestFields,
  KindResponse,
  ProviderAttempt,
  ProviderCalls,
} from './call-kind.ts';
import { type KindRequest, quoteKind } from './quote-kind.ts';

export interface KindEndpointDependencies extends PaidEndpointDependencies {
  readonly random: RandomSource;
}

export function createKindEndpoint<Request extends CallRequestFields, Output>(
  callKind: CallKind<Request, Output>,
  providers: ProviderCalls<JsonObject, Output>,
  dependencies: KindEndpointDependencies,
): StreamingEndpoint {
  const { kind, stream, schema, fields } = callKind;
  const read = async (
    httpRequest: HttpRequest,
    { requestId }: CallContext,
    key: VerifiedKey,
  ): Promise<PaidCall<KindResult<Output>>> => {
    const { text, value } = await readJson(httpRequest);
    const request = validate(schema, value);
    const catalog = await dependencies.catalog();
    const namedModel = modelOf(catalog, kind, request.model);
    const model = callKind.servable?.(request, namedModel) ?? namedModel;
    const withModel = (body: JsonObject) => ({ ...body, model: request.model }) as Request;
    const call = kindCall(
      {
        kind,
        model,
        catalog: catalog.version,
        stream,
        fields,
        request: callKind.toPayload(request, model),
        controls: request.provider ?? NO_CONTROLS,
        estimate: (body) => callKind.estimate(withModel(body), model),
        providers,
        payloadOf: (body) => body,
        prepare: (response) => callKind.prepare({ ...response, request: withModel(response.request) }),
      },
      dependencies,
    );
    return { requestId, key, identity: text, ...call };
  };
  return createPaidEndpoint({ kind, read }, dependencies);
}

interface KindCallOptions<Payload, Output> extends Omit<KindRequest, 'chance'> {
  /** The version of the catalog that the model is from. */
  readonly catalog: string;
  readonly stream: boolean;
  readonly providers: ProviderCalls<Payload, Output>;
  /** Returns what a route gets, by the fields that it gets. */
  payloadOf(body: JsonObject): Payload;
  /** Prepares the response for sending; see `PaidCall.prepare`. */
  prepare(response: KindResponse<JsonObject, Output>): Promise<Deliver>;
}

/** Returns the paid call of a valid request, but for its caller. Throws as `quoteKind`. */
export function kindCall<Payload, Output>(
  { catalog, stream, providers, payloadOf, prepare, ...request }: KindCallOptions<Payload, Output>,
  { random, after, hostEnds }: Pick<KindEndpointDependencies, 'random' | 'after' | 'hostEnds'>,
): Omit<PaidCall<KindResult<Output>>, 'requestId' | 'key' | 'identity'> {
  const { quote, estimate, body, headers, bodyOn } = quoteKind({ ...request, chance: random });
  return {
    ...quote,
    stream,
    headers,
    attempt: ({ model, route }, { traceparent, ...time }) =>
      attemptKind(
        providers,
        { model, payload: payloadOf(bodyOn(route)), traceparent },
        { ...time, after, route, stream, hostEnds },
      ),
    prepare: ({ output, clock }, call) =>
      prepare({ ...call, request: body, output, estimate, clock, headers, catalog }),
  };
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

/** A response that has started. */
export interface KindResult<Output> {
  readonly output: Output;
  /** The clock of the attempt. It is closed already, unless the response is streamed. */
  readonly clock: RouteClock;
}

/**
 * Attempts one route, under its clock. Throws `UpstreamFailure` if the attempt ends without a response, or before a
 * stream's first bytes.
 */
async function attemptKind<Payload, Output>(
  servers: ProviderCalls<Payload, Output>,
  attempt: Pick<ProviderAttempt<Payload>, 'model' | 'payload' | 'traceparent'>,
  options: RouteClockOptions,
): Promise<KindResult<Output>> {
  const { route, stream } = options;
  const serve = servers[route.protocol];
  if (serve === undefined) throw new Error(`protocol ${route.protocol} does not serve this kind of call`);
  const clock = startRouteClock(options);
  try {
    const output = await abortable(serve({ ...attempt, route, clock }), clock.signal);
    if (stream) clock.stopFirstByte();
    else clock.close(true);
    return { output, clock };
  } catch (failure) {
    clock.close(false);
    throw failure;
  }
}
