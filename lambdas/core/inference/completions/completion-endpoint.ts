/** The endpoint of a chat call in one of its API formats: from the request's bytes to a call that is ready to be paid for. */
import type * as z from 'zod';
import { ServiceError } from '../../errors.ts';
import { readJson, validate } from '../../json/json-body.ts';
import type { CallContext, Clock, RandomSource, StreamingEndpoint, UlidSource } from '../../ports.ts';
import { type CatalogSource, requireModel } from '../catalog/catalog.ts';
import type { Model, Route } from '../catalog/catalog-document.ts';
import { tokenCost } from '../catalog/price.ts';
import { type PromptBound, promptBounds } from '../metering/estimate.ts';
import { promptSizeOf } from '../metering/prompt-size.ts';
import { createPaidEndpoint, type PaidCall, type PaidEndpointDependencies } from '../paid-endpoint.ts';
import { type Candidate, chooseRoutes } from '../routing/route-choice.ts';
import { controlsOf } from '../routing/route-controls.ts';
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
}

export function createCompletionEndpoint<Request extends CompletionRequest>(
  format: ApiFormat<Request>,
  schema: z.ZodType<Request>,
  dependencies: CompletionDependencies,
): StreamingEndpoint {
  const read = async (request: globalThis.Request, context: CallContext) => {
    const { text, value } = await readJson(request);
    const body = validate(schema, value);
    const models = await modelsOf(body, dependencies.catalog);
    return readCompletion(format, { body, identity: text, models, context }, dependencies);
  };
  return createPaidEndpoint({ read }, dependencies);
}

interface ValidRequest<Request> {
  readonly body: Request;
  readonly identity: string;
  /** The model that is asked for, and those to fall back on; at least one. */
  readonly models: readonly Model[];
  readonly context: Pick<CallContext, 'requestId'>;
}

/** Throws 400 when no model takes so much prompt, or writes so much. */
export function readCompletion<Request extends CompletionRequest>(
  format: ApiFormat<Request>,
  { body, identity, models, context: { requestId } }: ValidRequest<Request>,
  {
    providers,
    random,
    ulid,
    clock,
    after,
    log,
  }: Pick<CompletionDependencies, 'providers' | 'random' | 'ulid' | 'clock' | 'after' | 'log'>,
): PaidCall<Answer> {
  const { tokens: maxTokens, param } = format.maxTokens(body);
  requireLength(models, maxTokens, param);
  const payload = format.toPayload(body);
  const prompt = promptSizeOf(payload.body);
  const promptBound = promptBounds(prompt);
  const able = chooseRoutes({ models, demands: payload, controls: controlsOf(body), providers, random });
  const candidates = withRoom(able, promptBound);
  const completionTokens = maxTokens * format.choices(body);
  const costOf = (model: Model, promptTokens: number) =>
    tokenCost(model, { promptTokens, cachedTokens: 0, completionTokens });
  const answerId = format.answerId(ulid());
  const createdMs = clock();
  return {
    kind: 'chat',
    identity,
    stream: payload.stream,
    events: payload.stream ? format.events : undefined,
    candidates,
    tokens: completionTokens + Math.max(...candidates.map(({ model }) => promptBound(model).tokens)),
    costBound: (model) => {
      const { tokens, most } = promptBound(model);
      return { amount: costOf(model, tokens), ceiling: costOf(model, most) };
    },
    attempt: ({ model, route }, remainingTimeMs) =>
      attemptRoute({
        provider: providers[route.protocol],
        after,
        route,
        payload: payloadFor(route, payload),
        identity: { id: answerId, model: model.id },
        remainingTimeMs,
      }),
    prepare: (answer, paid) =>
      prepareCompletion(answer, paid, {
        prompt,
        most: { promptTokens: promptBound(paid.candidate.model).most, completionTokens },
        onImpossible: (route) =>
          log.warn('a route counted more than is possible', { requestId, route: route.id }),
        writer: (options) => format.writer({ ...options, createdMs }),
        answerId,
        frames: (events) => format.frames(body, events),
        events: format.events,
      }),
  };
}

/** Throws 400 for a model that the catalog does not have. */
async function modelsOf(body: CompletionRequest, catalog: CatalogSource): Promise<readonly Model[]> {
  const known = await catalog();
  return [body.model, ...(body.models ?? [])].map((name, index) =>
    requireModel(known, name, 'chat', index === 0 ? 'model' : `models[${index - 1}]`),
  );
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
  candidates: readonly Candidate[],
  promptBound: (model: Model) => PromptBound,
): readonly Candidate[] {
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
