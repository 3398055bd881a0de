/** The endpoint of a kind of call that takes a JSON body and sells something else than a conversation. */
import { authenticate, type Peppers } from '../../access/api-key.ts';
import { ServiceError } from '../../errors.ts';
import type { Idempotency } from '../../idempotency/idempotency.ts';
import { readJson, validate } from '../../json/json-body.ts';
import type { JsonObject } from '../../json/lossless-json.ts';
import type { KeyGate } from '../../ledger/key-gate.ts';
import type { After, Endpoint, RandomSource } from '../../ports.ts';
import { type Catalog, type CatalogSource, requireModel } from '../catalog/catalog.ts';
import type { Model } from '../catalog/catalog-document.ts';
import type { Breaker } from '../circuit/breaker.ts';
import { type Paid, type PaidCallDependencies, runPaidCall } from '../paid-call.ts';
import { chooseRoutes } from '../routing/route-choice.ts';
import { controlsOf } from '../routing/route-controls.ts';
import type { Modality, ModalityRequest, Servers, Watch } from './call-kind.ts';
import { attemptModality } from './kind-attempt.ts';

export interface ModalityEndpointDependencies extends PaidCallDependencies {
  readonly peppers: () => Promise<Peppers>;
  readonly catalog: CatalogSource;
  readonly gate: KeyGate;
  readonly idempotency: Idempotency;
  readonly random: RandomSource;
  readonly after: After;
}

/** Throws `ServiceError` for everything that is wrong before an answer has begun. */
export function createModalityEndpoint<Request extends ModalityRequest, Answer>(
  modality: Modality<Request, Answer>,
  servers: Servers<JsonObject, Answer>,
  dependencies: ModalityEndpointDependencies,
): Endpoint {
  const { peppers, gate, idempotency, after, breaker } = dependencies;
  const { kind, stream } = modality;
  return async (request, context) => {
    const { requestId } = context;
    const key = authenticate(request.headers, await peppers());
    const { json, ...valid } = await gate.checked(key, () => check(modality, request, dependencies));
    const guarded = {
      request,
      key,
      body: json,
      stream,
      context,
    };
    const { body, payload, candidates, estimate } = valid;
    return idempotency.guard(guarded, async (keep) => {
      const { prepared: send, ...paid } = await runPaidCall(dependencies, {
        requestId,
        key,
        kind,
        candidates,
        tokens: estimate.tokens,
        costBound: () => estimate,
        attempt: ({ route }, remainingTimeMs) =>
          attemptModality(servers, payload, { after, route, remainingTimeMs, stream }),
        prepare: ({ answer, clock }, { candidate, admission }) =>
          modality.prepare({ request: body, answer, estimate, candidate, admission, clock, keep }),
        remainingTimeMs: () => context.remainingTimeMs(),
      });
      return send(watchOf(breaker, paid));
    });
  };
}

export const watchOf = (breaker: Breaker, { served }: Paid): Watch => ({
  broke: (failure) => breaker.broke(failure, served),
  flush: () => breaker.flush(),
});

/** Everything about the request that can be wrong before it is paid for. */
async function check<Request extends ModalityRequest, Answer>(
  modality: Modality<Request, Answer>,
  request: globalThis.Request,
  { catalog, random }: ModalityEndpointDependencies,
) {
  const { text: json, value } = await readJson(request);
  const body = validate(modality.schema, value);
  const model = modelOf(await catalog(), modality.kind, body.model);
  const payload = modality.toPayload(body, model);
  const candidates = chooseRoutes({
    models: [model],
    demands: { needs: [], features: [] },
    controls: controlsOf(body),
    random,
  });
  return { json, body, payload, candidates, estimate: modality.estimate(body, model) };
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
