/** The endpoint of a chat call in one of its API formats: from the request's bytes to a call that is ready to be paid for. */
import type * as z from 'zod';
import type { Peppers, VerifiedKey } from '../../access/api-key.ts';
import { ServiceError } from '../../errors.ts';
import { readJson, validate } from '../../json/json-body.ts';
import type { CallContext, Clock, RandomSource, StreamingEndpoint, UlidSource } from '../../ports.ts';
import { type Catalog, type CatalogSource, requireModel } from '../catalog/catalog.ts';
import type { Model, Route } from '../catalog/catalog-document.ts';
import { countPromptTokens, type PromptBound, promptBounds } from '../metering/estimate.ts';
import { type PromptSize, promptSizeOf } from '../metering/prompt-size.ts';
import { createPaidEndpoint, type PaidCall, type PaidEndpointDependencies } from '../paid-endpoint.ts';
import { affinityOf, conversationIn, type RouteChance } from '../routing/affinity.ts';
import type { PricedCandidate } from '../routing/candidate.ts';
import { ignoredFields } from '../routing/carries.ts';
import { chooseRoutes } from '../routing/route-choice.ts';
import { controlsOf } from '../routing/route-controls.ts';
import type { Capsules } from '../upstream/capsules.ts';
import type { ChatPayload, Provider } from '../upstream/provider.ts';
import { overflowMessage } from '../upstream/refusal.ts';
import type { ApiFormat, CallerHeaders, CompletionRequest } from './api-format.ts';
import type { Answer } from './attempt.ts';
import { completionBounds, completionCall } from './completion-call.ts';
import { bodyFor, ignoredFieldsHeader } from './forwarded-fields.ts';
import { openOutput } from './open-output.ts';
import { outputBound } from './output-bound.ts';
import { unservedTools } from './unserved-tools.ts';

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
  schema: z.ZodType<NoInfer<Request>>,
  dependencies: CompletionDependencies,
): StreamingEndpoint {
  const read = async (request: globalThis.Request, context: CallContext, { accountId }: VerifiedKey) => {
    const peppers = await dependencies.peppers();
    const capsules = dependencies.capsules(peppers)(accountId);
    const { text, value } = await readJson(request);
    const body = validate(schema, value);
    const { version, models } = await modelsOf(body, dependencies.catalog);
    const chance = affinityOf(peppers, accountId, conversationIn(request.headers, body));
    return readCompletion(
      format,
      {
        ...{ body, identity: text, models, catalog: version, capsules, context, chance },
        headers: request.headers,
      },
      dependencies,
    );
  };
  return createPaidEndpoint({ read }, dependencies);
}

interface ValidRequest<Request> {
  readonly body: Request;
  readonly identity: string;
  /** The model that is asked for, and those to fall back on; at least one. */
  readonly models: readonly Model[];
  /** The version of the catalog that they are from. */
  readonly catalog: string;
  readonly capsules: Capsules;
  readonly headers?: CallerHeaders;
  readonly context: Pick<CallContext, 'requestId'>;
  /** Decides between equal routes; when absent, chance does. */
  readonly chance?: RouteChance;
}

type ReadDependencies = Pick<
  CompletionDependencies,
  'providers' | 'random' | 'ulid' | 'clock' | 'after' | 'hostEnds' | 'log'
>;

/** Throws 400 when no model takes so much prompt, or writes so much. */
export function readCompletion<Request extends CompletionRequest>(
  format: ApiFormat<Request>,
  valid: ValidRequest<Request>,
  dependencies: ReadDependencies,
): PaidCall<Answer> {
  const { providers, random, ulid, clock } = dependencies;
  const { identity, models, capsules, chance = random } = valid;
  const { tokens: asked, isChosen } = outputBound(models, format.maxTokens(valid.body));
  const body = asked === undefined || !isChosen ? valid.body : format.withMaxTokens(valid.body, asked);
  const controls = controlsOf(body);
  const unserved =
    controls.requireParameters === true ? NO_TOOLS : unservedTools(format, body, { models, providers });
  const served =
    format.withoutTools === undefined || unserved.size === 0 ? body : format.withoutTools(body, unserved);
  const payload = format.toPayload(served, capsules, valid.headers);
  const able = chooseRoutes({
    ...{ models, controls, chance },
    call: { payload, providers, request: valid.body },
  });
  const sent = bodyFor(
    payload,
    able.map(({ route }) => route),
  );
  const prompt = promptSizeOf(sent);
  const promptBound = promptBounds(prompt);
  const candidates = withRoom(able, promptBound, promptField(payload));
  const ignored = new Set([
    ...[...unserved].map((index) => `tools[${index}]`),
    ...candidates.flatMap(({ route }) => [...ignoredFields(route, payload, valid.body)]),
  ]);
  const answerId = format.answerId(ulid());
  const answer = format.answer({ request: body, answerId, createdMs: clock(), clock, capsules });
  const bounds = completionBounds({
    ...{ prompt, promptBound, candidates, choices: format.choices(body), body: sent },
  });
  const output =
    asked === undefined ? outputOf(candidates, prompt, promptBound) : { least: asked, most: asked };
  const payloadWithin = (maxTokens: number) =>
    asked === undefined ? limitedTo(payload, maxTokens) : payload;
  return {
    kind: 'chat',
    identity,
    stream: payload.stream,
    events: payload.stream ? answer.events : undefined,
    candidates,
    ...completionCall(
      {
        ...valid,
        headers: ignoredFieldsHeader(ignored),
        ...{ output, payloadWithin, isOutputChosen: isChosen, bounds, prompt },
        ...{ answerId, answer, nameOf: namesOf(body, models) },
      },
      dependencies,
    ),
  };
}

const NO_TOOLS: ReadonlySet<number> = new Set();

/** The name under which the caller asked for a model, an alias included: its answer is under that name. */
const namesOf =
  ({ model, models: others }: CompletionRequest, models: readonly Model[]) =>
  (served: Model): string =>
    [model, ...(others ?? [])][models.indexOf(served)] ?? served.id;

/** Of an answer whose length the caller leaves to the service. */
const outputOf = (
  candidates: readonly PricedCandidate[],
  prompt: PromptSize,
  promptBound: (model: Model) => PromptBound,
) =>
  openOutput([...new Set(candidates.map(({ model }) => model))], (model) => ({
    most: promptBound(model).tokens,
    probable: () => countPromptTokens(prompt, model),
  }));

/** The field of a request that has the conversation. */
const promptField = ({ protocol }: ChatPayload) => (protocol === 'openai-responses' ? 'input' : 'messages');

/** Throws an error when the API format leaves the bound to the service and does not take one from it. */
function limitedTo(payload: ChatPayload, maxTokens: number): ChatPayload {
  if (payload.limitedTo === undefined) throw new Error('a payload without a bound takes none');
  return payload.limitedTo(maxTokens);
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

/** The candidates whose model may have room, as their routes know. Throws 400 `prompt_too_long` when none has. */
function withRoom(
  candidates: readonly PricedCandidate[],
  promptBound: (model: Model) => PromptBound,
  param: string,
): readonly PricedCandidate[] {
  const fitting = candidates.filter(({ model }) => promptBound(model).least <= windowOf(model));
  const model = candidates[0]?.model;
  if (fitting.length > 0 || model === undefined) return fitting;
  const message = overflowMessage({ prompt: promptBound(model).least, window: model.context_window });
  throw new ServiceError('prompt_too_long', `The ${message} It has at least that many tokens.`, { param });
}

const windowOf = ({ context_window: window = Number.POSITIVE_INFINITY }: Model): number => window;
