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
import { withSentMarks } from '../upstream/cache-marks.ts';
import { type Capsules, signaturesOf } from '../upstream/capsules.ts';
import type { ChatPayload, Provider } from '../upstream/provider.ts';
import type { ApiFormat, CallerHeaders, CompletionRequest } from './api-format.ts';
import { type Answer, attemptRoute, canCancel, prepareCompletion } from './delivery.ts';
import { ignoredFieldsHeader, payloadFor, unservedTools } from './forwarded-fields.ts';

export interface CompletionDependencies extends PaidEndpointDependencies {
  readonly catalog: CatalogSource;
  readonly providers: Readonly<Record<CatalogRoute['protocol'], Provider>>;
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
  const read = async (request: globalThis.Request, { requestId }: CallContext, key: VerifiedKey) => {
    const peppers = await dependencies.peppers();
    const capsules = dependencies.capsules(peppers)(key.accountId);
    const { text, value } = await readJson(request);
    const body = validate(schema, value);
    const { version, models } = await modelsOf(body, dependencies.catalog);
    const chance = affinityOf(peppers, key.accountId, conversationIn(request.headers, body));
    return readCompletion(
      format,
      {
        requestId,
        key,
        body,
        identity: text,
        models,
        catalog: version,
        capsules,
        chance,
        headers: request.headers,
      },
      dependencies,
    );
  };
  return createPaidEndpoint({ read }, dependencies);
}

interface ValidRequest<Request> extends Pick<PaidCall<Answer>, 'requestId' | 'key' | 'identity'> {
  readonly body: Request;
  /** The model that is asked for, and those to fall back on; at least one. */
  readonly models: readonly Model[];
  /** The version of the catalog that they are from. */
  readonly catalog: string;
  readonly capsules: Capsules;
  readonly headers?: CallerHeaders;
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
  const { providers, random, ulid, clock, after, hostEnds, log } = dependencies;
  const { requestId, key, identity, models, catalog, capsules, chance = random } = valid;
  const { tokens: asked, isChosen } = outputBound(models, format.maxTokens(valid.body));
  const body = asked === undefined || !isChosen ? valid.body : format.withMaxTokens(valid.body, asked);
  const controls = controlsOf(body);
  const unserved =
    controls.requireParameters === true ? NO_TOOLS : unservedTools(format, body, { models, providers });
  const served =
    format.withoutTools === undefined || unserved.size === 0 ? body : format.withoutTools(body, unserved);
  const payload = format.toPayload(served, capsules, valid.headers);
  const { prompt, ignored, boundsOn, ...quote } = quoteChat(
    { models, controls, chance, call: { payload, providers, request: valid.body } },
    { choices: format.choices(body), tokens: asked },
  );
  const tools = [...unserved].map((index) => `tools[${index}]`);
  const headers = ignoredFieldsHeader(new Set([...tools, ...ignored]));
  const answerId = format.answerId(ulid());
  const answer = format.answer({ request: body, answerId, createdMs: clock(), clock, capsules });
  const payloadWithin = (output: number) => (asked === undefined ? limitedTo(payload, output) : payload);
  const identityOf = (model: Model) => ({ id: answerId, model: nameOf(model, body, models) });
  return {
    requestId,
    key,
    identity,
    ...quote,
    headers,
    stream: payload.stream,
    events: payload.stream ? answer.events : undefined,
    attempt: async ({ model, route }, time, output) =>
      attemptRoute({
        route,
        after,
        hostEnds,
        ...time,
        provider: providers[route.protocol],
        payload: payloadFor(route, withSentMarks({ model, route }, payloadWithin(output))),
        identity: identityOf(model),
        signatures: signaturesOf(capsules, route.id),
      }),
    prepare: (reply, answered) => {
      const { candidate, admission } = answered;
      const { model, route } = candidate;
      const { output } = admission;
      return prepareCompletion(reply, answered, {
        prompt,
        catalog,
        headers,
        ...boundsOn(route, output),
        ...answer,
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

/** The name under which the caller asked for a model, an alias included: its answer is under that name. */
const nameOf = (served: Model, { model, models: others }: CompletionRequest, models: readonly Model[]) =>
  [model, ...(others ?? [])][models.indexOf(served)] ?? served.id;

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
