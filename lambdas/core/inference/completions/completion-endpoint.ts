/** The endpoint of a chat call in one of its API formats: from the request's bytes to a call that is ready to be paid for. */
import type * as z from 'zod';
import type { Peppers, VerifiedKey } from '../../access/api-key.ts';
import { ServiceError } from '../../errors.ts';
import { readJson, validate } from '../../json/json-body.ts';
import type { CallContext, Clock, RandomSource, StreamingEndpoint, UlidSource } from '../../ports.ts';
import { type Catalog, type CatalogSource, requireModel } from '../catalog/catalog.ts';
import type { Model, Route } from '../catalog/catalog-document.ts';
import { boundTextTokens, LARGEST_WINDOW, type PromptBound, promptBounds } from '../metering/estimate.ts';
import { tokenPrices } from '../metering/priced-usage.ts';
import { promptSizeOf } from '../metering/prompt-size.ts';
import { createPaidEndpoint, type PaidCall, type PaidEndpointDependencies } from '../paid-endpoint.ts';
import { type CostBound, coverBoth } from '../pricing/cost-bound.ts';
import { type MostTokens, promptWithUses, type Terms, worstCost } from '../pricing/terms.ts';
import { type PricedCandidate, pricedCandidates } from '../routing/priced-routes.ts';
import { chooseRoutes } from '../routing/route-choice.ts';
import { controlsOf } from '../routing/route-controls.ts';
import { type Capsules, signaturesOf } from '../upstream/capsules.ts';
import type { Provider } from '../upstream/provider.ts';
import type { ApiFormat, CompletionRequest } from './api-format.ts';
import { type Answer, attemptRoute } from './attempt.ts';
import { prepareCompletion } from './delivery.ts';
import { payloadFor } from './route-payload.ts';

export interface CompletionDependencies extends PaidEndpointDependencies {
  readonly catalog: CatalogSource;
  readonly providers: Readonly<Record<Route['protocol'], Provider>>;
  readonly random: RandomSource;
  readonly ulid: UlidSource;
  readonly clock: Clock;
  /** The capsules of each account. */
  readonly capsules: (peppers: Peppers) => (accountId: string) => Capsules;
}

export function createCompletionEndpoint<Request extends CompletionRequest>(
  format: ApiFormat<Request>,
  schema: z.ZodType<Request>,
  dependencies: CompletionDependencies,
): StreamingEndpoint {
  const read = async (request: globalThis.Request, context: CallContext, { accountId }: VerifiedKey) => {
    const capsules = dependencies.capsules(await dependencies.peppers())(accountId);
    const { text, value } = await readJson(request);
    const body = validate(schema, value);
    const { version, models } = await modelsOf(body, dependencies.catalog);
    return readCompletion(
      format,
      { body, identity: text, models, catalog: version, capsules, context },
      dependencies,
    );
  };
  return createPaidEndpoint({ read }, dependencies);
}

/** Where the caller leaves the bound of the output to the service. */
const OPEN_TOKENS = 4_096;

interface ValidRequest<Request> {
  readonly body: Request;
  readonly identity: string;
  /** The model that is asked for, and those to fall back on; at least one. */
  readonly models: readonly Model[];
  /** The version of the catalog that they are from. */
  readonly catalog: string;
  readonly capsules: Capsules;
  readonly context: Pick<CallContext, 'requestId'>;
}

/** Throws 400 when no model takes so much prompt, or writes so much. */
export function readCompletion<Request extends CompletionRequest>(
  format: ApiFormat<Request>,
  { body, identity, models, catalog, capsules, context: { requestId } }: ValidRequest<Request>,
  {
    providers,
    random,
    ulid,
    clock,
    after,
    log,
  }: Pick<CompletionDependencies, 'providers' | 'random' | 'ulid' | 'clock' | 'after' | 'log'>,
): PaidCall<Answer> {
  const { tokens: maxTokens = OPEN_TOKENS, param } = format.maxTokens(body);
  requireLength(models, maxTokens, param);
  const payload = format.toPayload(body, capsules);
  const prompt = promptSizeOf(payload.body);
  const promptBound = promptBounds(prompt);
  // What the provider's own tools add is counted apart, where the catalog says how much that is.
  const withoutTools = prompt.providerTools ? promptBounds({ ...prompt, providerTools: false }) : promptBound;
  const able = chooseRoutes({ models, demands: payload, controls: controlsOf(body), providers, random });
  const candidates = withRoom(pricedCandidates(able, payload), promptBound);
  const boundOn = ({ model, terms }: PricedCandidate) =>
    (terms.tokensByUses === undefined ? promptBound : withoutTools)(model);
  const bounds = new Map(
    candidates.map((candidate) => [
      candidate.route,
      boundsOf(candidate, boundOn(candidate), maxTokens * format.choices(body)),
    ]),
  );
  const routesOf = (model: Model) => candidates.filter((candidate) => candidate.model === model);
  const answerId = format.answerId(ulid());
  const { writer, frames, events } = format.answer({
    request: body,
    answerId,
    createdMs: clock(),
    clock,
    capsules,
  });
  return {
    kind: 'chat',
    identity,
    stream: payload.stream,
    events: payload.stream ? events : undefined,
    candidates,
    tokens: Math.max(...[...bounds.values()].map(({ tokens }) => tokens.prompt + tokens.completion)),
    costBound: (model) =>
      routesOf(model)
        .map(({ route }) => boundOf(bounds, route).cost)
        .reduce(coverBoth),
    attempt: ({ model, route }, remainingTimeMs) =>
      attemptRoute({
        provider: providers[route.protocol],
        after,
        route,
        payload: payloadFor(route, payload),
        identity: { id: answerId, model: model.id },
        signatures: signaturesOf(capsules, route.id),
        remainingTimeMs,
      }),
    prepare: (answer, paid) =>
      prepareCompletion(answer, paid, {
        prompt,
        catalog,
        ...boundOf(bounds, paid.candidate.route),
        onImpossible: (route) =>
          log.warn('a route counted more than is possible', { requestId, route: route.id }),
        writer,
        answerId,
        frames,
        events,
      }),
  };
}

/** What a call may count and cost on a route, and what it may be billed by there. */
interface RouteBounds {
  readonly terms: Terms;
  /** What is held for. */
  readonly tokens: MostTokens;
  /** What a route is believed at most. */
  readonly most: MostTokens;
  readonly cost: CostBound;
}

function boundsOf({ model, terms }: PricedCandidate, bound: PromptBound, maxTokens: number): RouteBounds {
  const prices = tokenPrices(model);
  const completion = maxTokens + boundTextTokens(terms.outputTexts);
  const window = model.context_window ?? LARGEST_WINDOW;
  const withUses = (prompt: number): MostTokens => ({
    prompt: promptWithUses(terms, { prompt, completion }, window),
    completion,
  });
  const [tokens, most] = [withUses(bound.tokens), withUses(bound.most)];
  const cost = { amount: worstCost(prices, terms, tokens), ceiling: worstCost(prices, terms, most) };
  return { terms, tokens, most, cost };
}

function boundOf(bounds: ReadonlyMap<Route, RouteBounds>, route: Route): RouteBounds {
  const bound = bounds.get(route);
  if (bound === undefined) throw new Error(`${route.id} is no candidate`);
  return bound;
}

/** Throws 400 for a model that the catalog does not have. */
async function modelsOf(
  body: CompletionRequest,
  catalog: CatalogSource,
): Promise<Pick<Catalog, 'version' | 'models'>> {
  const known = await catalog();
  const models = [body.model, ...(body.models ?? [])].map((name, index) =>
    requireModel(known, name, 'chat', index === 0 ? 'model' : `models[${index - 1}]`),
  );
  return { version: known.version, models };
}

/** Throws 400 when more output is asked for than a model writes. */
function requireLength(models: readonly Model[], maxTokens: number, param: string): void {
  for (const { id, max_output_tokens: most } of models) {
    if (most !== undefined && maxTokens > most) {
      throw new ServiceError('invalid_value', `${param}: ${id} writes at most ${most} tokens.`, { param });
    }
  }
}

/** The candidates whose model has room for the prompt. Throws 400 `prompt_too_long` when none has. */
function withRoom(
  candidates: readonly PricedCandidate[],
  promptBound: (model: Model) => PromptBound,
): readonly PricedCandidate[] {
  const fitting = candidates.filter(({ model }) => !promptBound(model).tooLong);
  const model = candidates[0]?.model;
  if (fitting.length > 0 || model === undefined) return fitting;
  const { inSight } = promptBound(model);
  throw new ServiceError(
    'prompt_too_long',
    `The prompt is too long: it may count ${inSight} tokens, and ${model.id} takes ${model.context_window} at most.`,
    { param: 'messages' },
  );
}
