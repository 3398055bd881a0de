/**
 * The endpoint of a chat call in one of its API formats: from the request's bytes to a call that is ready to be paid for, and
 * how that is attempted and delivered.
 */
import type * as z from 'zod';
import type { Peppers, VerifiedKey } from '../../../access/core/keys/api-key.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import type { CallContext, HttpRequest, StreamingEndpoint } from '../../../platform/core/ports.ts';
import type { PaidCall } from '../call.ts';
import { type Catalog, type CatalogSource, requireModel } from '../catalog/catalog.ts';
import type { ChatProtocol } from '../catalog/route-document.ts';
import { createPaidEndpoint, type PaidEndpointDependencies } from '../paid-endpoint.ts';
import { affinityOf, conversationIn } from '../routing/affinity.ts';
import type { Provider } from '../upstream/provider.ts';
import type { SealedTokens } from '../upstream/sealed-tokens.ts';
import type { ApiFormat, CompletionBody } from './api-format.ts';
import { CompletionRequest, type RequestDependencies, type ValidRequest } from './completion-request.ts';
import { attemptRoute, prepareCompletion, type StartedResponse } from './delivery.ts';

export interface CompletionDependencies extends PaidEndpointDependencies, RequestDependencies {
  readonly providers: Readonly<Record<ChatProtocol, Provider>>;
  /** Creates the sealed tokens of each account. */
  readonly sealedTokens: (peppers: Peppers) => (accountId: string) => SealedTokens;
}

export function createCompletionEndpoint<Body extends CompletionBody>(
  format: ApiFormat<Body>,
  schema: z.ZodType<NoInfer<Body>>,
  dependencies: CompletionDependencies,
): StreamingEndpoint {
  const read = async (request: HttpRequest, { requestId }: CallContext, key: VerifiedKey) => {
    const peppers = await dependencies.peppers();
    const sealedTokens = dependencies.sealedTokens(peppers)(key.accountId);
    const { text: identity, value } = await readJson(request);
    const body = validate(schema, value);
    const { version: catalog, models } = await modelsOf(body, dependencies.catalog);
    const { headers } = request;
    const chance = affinityOf(peppers, key.accountId, () => conversationIn(headers, body));
    const valid = { requestId, key, identity, body, models, catalog, sealedTokens, headers, chance };
    return readCompletion(format, valid, dependencies);
  };
  return createPaidEndpoint({ kind: 'chat', read }, dependencies);
}

/** Throws 400 when no model takes so much prompt, or writes so much. */
export function readCompletion<Body extends CompletionBody>(
  format: ApiFormat<Body>,
  valid: ValidRequest<Body> & Pick<PaidCall<StartedResponse>, 'key' | 'identity'>,
  dependencies: Pick<CompletionDependencies, keyof RequestDependencies | 'after' | 'hostEnds' | 'log'>,
): PaidCall<StartedResponse> {
  const { providers, after, hostEnds, log } = dependencies;
  const { requestId, key, identity } = valid;
  const request = new CompletionRequest(format, valid, dependencies);
  return {
    requestId,
    key,
    identity,
    ...request.quote,
    headers: request.headers,
    stream: request.isStreamed,
    events: request.isStreamed ? request.formatWriter.events : undefined,
    attempt: async (candidate, time, output) =>
      attemptRoute({
        ...request.attemptOn(candidate, output),
        ...time,
        after,
        hostEnds,
        // The catalog admits no other protocol for a chat model.
        provider: providers[candidate.route.protocol as ChatProtocol],
      }),
    prepare: (response, call) => {
      const { model, route } = call.candidate;
      const fields = { requestId, model: model.id, route: route.id };
      const onExcess = () => log.warn('a route counted more than the bound', fields);
      return prepareCompletion(response, call, { request, onExcess });
    },
  };
}

/** Throws 400 for a model that the catalog does not have. */
async function modelsOf(
  body: CompletionBody,
  catalog: CatalogSource,
): Promise<Pick<Catalog, 'version' | 'models'>> {
  const currentCatalog = await catalog();
  const models = [body.model, ...(body.models ?? [])].map((name, index) =>
    requireModel(currentCatalog, name, 'chat', index === 0 ? 'model' : `models[${index - 1}]`),
  );
  return { version: currentCatalog.version, models };
}
