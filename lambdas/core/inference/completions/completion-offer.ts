/** A chat call within one bound of its output: what it may cost, and how it is attempted and delivered. */
import type { JsonObject } from '../../json/lossless-json.ts';
import { greatest, type NanoUsd } from '../../money.ts';
import type { CallContext, Clock, Log } from '../../ports.ts';
import type { Model, Route } from '../catalog/catalog-document.ts';
import { dialectTokens } from '../metering/dialect-size.ts';
import { boundTextTokens, LARGEST_WINDOW, type PromptBound, promptBounds } from '../metering/estimate.ts';
import { tokenPrices } from '../metering/priced-usage.ts';
import type { PromptSize } from '../metering/prompt-size.ts';
import type { CallOffer } from '../paid-endpoint.ts';
import { type MostTokens, promptWithUses, type Terms, worstCost } from '../pricing/terms.ts';
import type { PricedCandidate } from '../routing/priced-routes.ts';
import type { RouteTimes } from '../routing/route-times.ts';
import { withSentMarks } from '../routing/sent-marks.ts';
import { type Capsules, signaturesOf } from '../upstream/capsules.ts';
import type { ChatPayload, Provider } from '../upstream/provider.ts';
import type { AnswerWriter } from './api-format.ts';
import { type Answer, type AttemptOptions, attemptRoute } from './attempt.ts';
import { prepareCompletion } from './delivery.ts';
import { payloadFor } from './route-payload.ts';
import { mayWriteUnseen } from './unseen-output.ts';

/** What a call may count and cost on a route, and what it may be billed by there. */
interface RouteBounds {
  readonly terms: Terms;
  readonly tokens: MostTokens;
  readonly cost: NanoUsd;
}

type BoundsByRoute = ReadonlyMap<Route, RouteBounds>;

export interface OfferedCompletion {
  /** The call as it is sent within the bound. */
  readonly payload: ChatPayload;
  readonly bounds: BoundsByRoute;
  /** The most output tokens of one choice, where the caller did not say so. */
  readonly chosenTokens: number | undefined;
  readonly prompt: PromptSize;
  /** The version of the catalog that has the prices. */
  readonly catalog: string;
  readonly candidates: readonly PricedCandidate[];
  readonly capsules: Capsules;
  /** The name of a model in the answer. */
  readonly nameOf: (model: Model) => string;
  readonly answerId: string;
  readonly answer: AnswerWriter;
  readonly context: Pick<CallContext, 'requestId'>;
}

interface OfferDependencies extends Pick<AttemptOptions, 'after' | 'hostEnds'> {
  readonly providers: Readonly<Record<Route['protocol'], Provider>>;
  readonly log: Pick<Log, 'warn'>;
  readonly clock: Clock;
  readonly times?: RouteTimes;
}

export function completionOffer(
  { payload, bounds, chosenTokens, prompt, catalog, candidates, ...call }: OfferedCompletion,
  { providers, after, hostEnds, log, clock, times }: OfferDependencies,
): CallOffer<Answer> {
  const { capsules, nameOf, answerId, answer, context } = call;
  const routesOf = (model: Model) => candidates.filter((candidate) => candidate.model === model);
  return {
    tokens: Math.max(...[...bounds.values()].map(({ tokens }) => tokens.prompt + tokens.completion)),
    costBound: (model) =>
      routesOf(model)
        .map(({ route }) => boundOf(bounds, route).cost)
        .reduce(greatest),
    attempt: async ({ model, route }, time) => {
      const startedMs = clock();
      const reply = await attemptRoute({
        provider: providers[route.protocol],
        after,
        route,
        payload: payloadFor(route, withSentMarks({ model, route }, payload)),
        identity: { id: answerId, model: nameOf(model) },
        signatures: signaturesOf(capsules, route.id),
        ...time,
        hostEnds,
      });
      if (reply.kind === 'stream') times?.note(route.id, clock() - startedMs);
      return reply;
    },
    prepare: (reply, paid) =>
      prepareCompletion(reply, paid, {
        prompt,
        catalog,
        chosenTokens,
        ...boundOf(bounds, paid.candidate.route),
        onExcess: ({ model, route }) => {
          const names = { model: model.id, route: route.id };
          log.warn('a route counted more than the bound', { requestId: context.requestId, ...names });
        },
        mayWriteUnseen: (route) => mayWriteUnseen(route, payload),
        identity: { id: answerId, model: nameOf(paid.candidate.model) },
        ...answer,
      }),
  };
}

export interface BoundedCompletion extends Pick<OfferedCompletion, 'prompt' | 'candidates'> {
  readonly promptBound: (model: Model) => PromptBound;
  readonly choices: number;
  /** The request as it leaves, but for what the dialect of a route changes. */
  readonly body: JsonObject;
}

/** What a call may count and cost on each of its routes, by the most output tokens of one of its choices. */
export function completionBounds({
  prompt,
  promptBound,
  candidates,
  choices,
  body,
}: BoundedCompletion): (maxTokens: number) => BoundsByRoute {
  // What the provider's own tools add is counted apart, where the catalog says how much that is.
  const withoutTools = prompt.providerTools ? promptBounds({ ...prompt, providerTools: false }) : promptBound;
  const bounded = candidates.map((candidate) => {
    const { model, route, terms } = candidate;
    const { tokens } = (terms.tokensByUses === undefined ? promptBound : withoutTools)(model);
    return { candidate, promptTokens: tokens + dialectTokens(route.dialect, body, prompt.messages) };
  });
  return (maxTokens) =>
    new Map(
      bounded.map(({ candidate, promptTokens }) => [
        candidate.route,
        boundsOf(candidate, promptTokens, maxTokens * choices),
      ]),
    );
}

function boundsOf({ model, terms }: PricedCandidate, promptTokens: number, maxTokens: number): RouteBounds {
  const prices = tokenPrices(model);
  const completion = maxTokens + boundTextTokens(terms.outputTexts);
  const window = model.context_window ?? LARGEST_WINDOW;
  const prompt = promptWithUses(terms, { prompt: promptTokens, completion }, window);
  const tokens = { prompt, completion };
  return { terms, tokens, cost: worstCost(prices, terms, tokens) };
}

function boundOf(bounds: BoundsByRoute, route: Route): RouteBounds {
  const bound = bounds.get(route);
  if (bound === undefined) throw new Error(`${route.id} is no candidate`);
  return bound;
}
