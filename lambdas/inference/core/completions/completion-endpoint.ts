/**
 * The endpoint of a chat call in one of its API formats: from the request's bytes to a call that is ready to be paid for, and
 * how that is attempted and delivered.
 */
import type * as z from 'zod';
import type { Peppers, VerifiedKey } from '../../../access/core/api-key.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import type {
  CallContext,
  Clock,
  RandomSource,
  StreamingEndpoint,
  UlidSource,
} from '../../../platform/core/ports.ts';
import type { PaidCall } from '../call.ts';
import { type Catalog, type CatalogSource, requireModel } from '../catalog/catalog.ts';
import type { CatalogRoute, Model } from '../catalog/catalog-document.ts';
import { outputBound } from '../metering/output-bound.ts';
import { createPaidEndpoint, type PaidEndpointDependencies } from '../paid-endpoint.ts';
import { quoteChat } from '../quote.ts';
import { affinityOf, conversationIn, type RouteChance } from '../routing/affinity.ts';
import { controlsOf } from '../routing/route-controls.ts';
import { losesEffort } from '../routing/route-support.ts';
import { withSentBreakpoints } from '../upstream/cache-breakpoints.ts';
import type { ChatPayload, Provider } from '../upstream/provider.ts';
import { type SealedTokens, signaturesOf } from '../upstream/sealed-tokens.ts';
import type { ApiFormat, CallerHeaders, CompletionBody } from './api-format.ts';
import { attemptRoute, canCancel, prepareCompletion, type StartedResponse } from './delivery.ts';
import { ignoredFieldsHeader, payloadFor, unservedTools } from './forwarded-fields.ts';
import { responseBytes } from './response-bytes.ts';

export interface CompletionDependencies extends PaidEndpointDependencies {
  readonly catalog: CatalogSource;
  readonly providers: Readonly<Record<CatalogRoute['protocol'], Provider>>;
  readonly random: RandomSource;
  readonly ulid: UlidSource;
  readonly clock: Clock;
  /** Creates the sealed tokens of each account. */
  readonly sealedTokens: (peppers: Peppers) => (accountId: string) => SealedTokens;
}

export function createCompletionEndpoint<Body extends CompletionBody>(
  format: ApiFormat<Body>,
  schema: z.ZodType<NoInfer<Body>>,
  dependencies: CompletionDependencies,
): StreamingEndpoint {
  const read = async (request: globalThis.Request, { requestId }: CallContext, key: VerifiedKey) => {
    const peppers = await dependencies.peppers();
    const sealedTokens = dependencies.sealedTokens(peppers)(key.accountId);
    const { text, value } = await readJson(request);
    const body = validate(schema, value);
    const { version, models } = await modelsOf(body, dependencies.catalog);
    const chance = affinityOf(peppers, key.accountId, () => conversationIn(request.headers, body));
    return readCompletion(
      format,
      {
        requestId,
        key,
        body,
        identity: text,
        models,
        catalog: version,
        sealedTokens,
        chance,
        headers: request.headers,
      },
      dependencies,
    );
  };
  return createPaidEndpoint({ kind: 'chat', read }, dependencies);
}

interface ValidRequest<Body> extends Pick<PaidCall<StartedResponse>, 'requestId' | 'key' | 'identity'> {
  readonly body: Body;
  /** The requested model and its fallbacks. Contains at least one. */
  readonly models: readonly Model[];
  /** The version of the catalog that they are from. */
  readonly catalog: string;
  readonly sealedTokens: SealedTokens;
  readonly headers?: CallerHeaders;
  /** Decides between equal routes; when absent, chance does. */
  readonly chance?: RouteChance;
}

type ReadDependencies = Pick<
  CompletionDependencies,
  'providers' | 'random' | 'ulid' | 'clock' | 'after' | 'hostEnds' | 'log'
>;

/** Throws 400 when no model takes so much prompt, or writes so much. */
export function readCompletion<Body extends CompletionBody>(
  format: ApiFormat<Body>,
  valid: ValidRequest<Body>,
  dependencies: ReadDependencies,
): PaidCall<StartedResponse> {
  const { providers, random, ulid, clock, after, hostEnds, log } = dependencies;
  const { requestId, key, identity, models, catalog, sealedTokens, chance = random } = valid;
  const { tokens: maxTokens, isChosen } = outputBound(models, format.maxTokens(valid.body));
  const body =
    maxTokens === undefined || !isChosen ? valid.body : format.withMaxTokens(valid.body, maxTokens);
  const controls = controlsOf(body);
  const unserved =
    controls.requireParameters === true ? NO_TOOLS : unservedTools(format, body, { models, providers });
  const supportedBody =
    format.withoutTools === undefined || unserved.size === 0 ? body : format.withoutTools(body, unserved);
  const payload = format.toPayload(supportedBody, sealedTokens, valid.headers);
  const { prompt, ignored, boundsOn, ...quote } = quoteChat(
    { models, controls, chance, call: { payload, providers, request: valid.body } },
    { choices: format.choices(body), tokens: maxTokens },
  );
  const tools = [...unserved].map((index) => `tools[${index}]`);
  const headers = ignoredFieldsHeader(new Set([...tools, ...ignored]));
  const responseId = format.responseId(ulid());
  const formatWriter = format.createWriter({
    request: body,
    responseId,
    createdMs: clock(),
    clock,
    sealedTokens,
    catalog,
  });
  const payloadWithin = (output: number) => (maxTokens === undefined ? limitedTo(payload, output) : payload);
  const identityOf = (model: Model) => ({ id: responseId, model: nameOf(model, body, models) });
  return {
    requestId,
    key,
    identity,
    ...quote,
    headers,
    stream: payload.stream,
    events: payload.stream ? formatWriter.events : undefined,
    attempt: async ({ model, route }, time, output) =>
      attemptRoute({
        route,
        after,
        hostEnds,
        ...time,
        provider: providers[route.protocol],
        payload: payloadFor(route, withSentBreakpoints({ model, route }, payloadWithin(output))),
        identity: identityOf(model),
        signatures: signaturesOf(sealedTokens, route.id),
        maxBytes: responseBytes(payload, boundsOn(route, output).tokens.completion),
      }),
    prepare: (response, call) => {
      const { model, route } = call.candidate;
      const { output } = call.admission;
      return prepareCompletion(response, call, {
        prompt,
        catalog,
        headers,
        ...boundsOn(route, output),
        ...formatWriter,
        writer: (options) =>
          formatWriter.writer({ ...options, losesEffort: () => losesEffort(route, payloadWithin(output)) }),
        chosenTokens: isChosen ? output : undefined,
        onExcess: () =>
          log.warn('a route counted more than the bound', { requestId, model: model.id, route: route.id }),
        canCancel: payload.stream && canCancel(route, payloadWithin(output)),
        identity: identityOf(model),
      });
    },
  };
}

const NO_TOOLS: ReadonlySet<number> = new Set();

/** Returns the name by which the caller requested the model, an alias included. The response uses that name. */
const nameOf = (servedModel: Model, { model, models: fallbacks }: CompletionBody, models: readonly Model[]) =>
  [model, ...(fallbacks ?? [])][models.indexOf(servedModel)] ?? servedModel.id;

/** Throws an error when the API format leaves the bound to the service and does not take one from it. */
function limitedTo(payload: ChatPayload, maxTokens: number): ChatPayload {
  if (payload.limitedTo === undefined) throw new Error('a payload without a bound takes none');
  return payload.limitedTo(maxTokens);
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
