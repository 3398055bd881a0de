/** A chat call: what it may cost by its output, and how it is attempted and delivered. */
import type { JsonObject } from '../../json/lossless-json.ts';
import type { OutputRange } from '../../ledger/call.ts';
import { greatest, type NanoUsd } from '../../money.ts';
import type { CallContext, Log } from '../../ports.ts';
import type { Model, Route } from '../catalog/catalog-document.ts';
import { dialectTokens } from '../metering/dialect-size.ts';
import {
  boundTextTokens,
  LARGEST_WINDOW,
  type PromptBound,
  promptBounds,
  rateTokens,
} from '../metering/estimate.ts';
import { tokenPrices } from '../metering/priced-usage.ts';
import type { PromptSize } from '../metering/prompt-size.ts';
import type { PaidCall } from '../paid-endpoint.ts';
import { type MostTokens, promptWithUses, type Terms, worstCost } from '../pricing/terms.ts';
import type { PricedCandidate } from '../routing/candidate.ts';
import { withSentMarks } from '../routing/sent-marks.ts';
import { type Capsules, signaturesOf } from '../upstream/capsules.ts';
import type { ChatPayload, Provider } from '../upstream/provider.ts';
import type { AnswerWriter } from './api-format.ts';
import { type Answer, type AttemptOptions, attemptRoute } from './attempt.ts';
import { prepareCompletion } from './delivery.ts';
import { payloadFor } from './forwarded-fields.ts';
import { canCancel } from './stream-cancel.ts';

/** What a call may count and cost on a route, and what it may be billed by there. */
interface RouteBounds {
  readonly terms: Terms;
  readonly tokens: MostTokens;
  readonly cost: NanoUsd;
}

export interface CompletionCallOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** The output that it may be admitted with, tokens of each choice. */
  readonly output: OutputRange;
  /** The call as it is sent with an output. */
  readonly payloadWithin: (output: number) => ChatPayload;
  /** The caller did not say how long each choice may be; `x-max-tokens` does. */
  readonly isOutputChosen: boolean;
  readonly bounds: CompletionBounds;
  readonly prompt: PromptSize;
  /** The version of the catalog that has the prices. */
  readonly catalog: string;
  readonly capsules: Capsules;
  /** The name of a model in the answer. */
  readonly nameOf: (model: Model) => string;
  readonly answerId: string;
  readonly answer: AnswerWriter;
  readonly context: Pick<CallContext, 'requestId'>;
}

interface CompletionCallDependencies extends Pick<AttemptOptions, 'after' | 'hostEnds'> {
  readonly providers: Readonly<Record<Route['protocol'], Provider>>;
  readonly log: Pick<Log, 'warn'>;
}

/** How a completion is paid for, attempted and delivered. */
export function completionCall(
  { headers, output, payloadWithin, isOutputChosen, bounds, prompt, catalog, ...call }: CompletionCallOptions,
  { providers, after, hostEnds, log }: CompletionCallDependencies,
): Pick<PaidCall<Answer>, 'headers' | 'output' | 'tokens' | 'cost' | 'attempt' | 'prepare'> {
  const { capsules, nameOf, answerId, answer, context } = call;
  return {
    headers,
    output,
    tokens: bounds.rateTokens,
    cost: (within) =>
      bounds
        .all(within)
        .map(({ cost }) => cost)
        .reduce(greatest),
    attempt: async ({ model, route }, time, within) => {
      return attemptRoute({
        provider: providers[route.protocol],
        after,
        route,
        payload: payloadFor(route, withSentMarks({ model, route }, payloadWithin(within))),
        identity: { id: answerId, model: nameOf(model) },
        signatures: signaturesOf(capsules, route.id),
        ...time,
        hostEnds,
      });
    },
    prepare: (reply, paid) => {
      const { output: within } = paid.admission;
      return prepareCompletion(reply, paid, {
        prompt,
        catalog,
        headers,
        chosenTokens: isOutputChosen ? within : undefined,
        ...bounds.of(paid.candidate.route, within),
        onExcess: ({ model, route }) => {
          const names = { model: model.id, route: route.id };
          log.warn('a route counted more than the bound', { requestId: context.requestId, ...names });
        },
        canCancel: (route) => canCancel(route, payloadWithin(within)),
        identity: { id: answerId, model: nameOf(paid.candidate.model) },
        ...answer,
      });
    },
  };
}

export interface BoundedCompletion {
  readonly prompt: PromptSize;
  readonly candidates: readonly PricedCandidate[];
  readonly promptBound: (model: Model) => PromptBound;
  readonly choices: number;
  /** The request as it leaves, but for what the dialect of a route changes. */
  readonly body: JsonObject;
}

/** What a call may count and cost on its routes, by the output of each of its choices in tokens. */
export interface CompletionBounds {
  /** What it counts against its key's tokens a minute until its route has counted it. */
  rateTokens(output: number): number;
  all(output: number): readonly RouteBounds[];
  of(route: Route, output: number): RouteBounds;
}

export function completionBounds(call: BoundedCompletion): CompletionBounds {
  const { prompt, promptBound, candidates, choices, body } = call;
  // What the provider's own tools add is counted apart, where the catalog says how much that is.
  const withoutTools = prompt.providerTools ? promptBounds({ ...prompt, providerTools: false }) : promptBound;
  const bounded = candidates.map((candidate) => {
    const { model, route, terms } = candidate;
    const { tokens } = (terms.tokensByUses === undefined ? promptBound : withoutTools)(model);
    return {
      candidate,
      promptTokens: tokens + dialectTokens(route.dialect, body, prompt.messages),
      // Read once: they may be long, and an admission asks for several outputs.
      outputTextTokens: boundTextTokens(terms.outputTexts),
    };
  });
  const boundsOn = (
    { candidate, promptTokens, outputTextTokens }: (typeof bounded)[number],
    output: number,
  ) => routeBounds(candidate, { prompt: promptTokens, completion: output * choices + outputTextTokens });
  const promptRate = rateTokens(prompt.texts);
  return {
    rateTokens: (output) => promptRate + output * choices,
    all: (output) => bounded.map((each) => boundsOn(each, output)),
    of(route, output) {
      const found = bounded.find(({ candidate }) => candidate.route === route);
      if (found === undefined) throw new Error(`${route.id} is no candidate`);
      return boundsOn(found, output);
    },
  };
}

function routeBounds({ model, terms }: PricedCandidate, most: MostTokens): RouteBounds {
  const window = model.context_window ?? LARGEST_WINDOW;
  const tokens = { ...most, prompt: promptWithUses(terms, most, window) };
  return { terms, tokens, cost: worstCost(tokenPrices(model), terms, tokens) };
}
