/**
 * The quote of a request: the routes that can handle it, its maximum tokens and its maximum cost. The quote is computed
 * before the hold is placed, and the hold is its price.
 *
 * routes -> body to send -> size of the prompt -> fitting models -> bound of each route -> price
 */

import { ServiceError } from '../../platform/core/errors.ts';
import type { JsonObject } from '../../platform/core/json/lossless-json.ts';
import type { Kind } from '../../platform/core/kinds.ts';
import { greatest, type NanoUsd } from '../../platform/core/money.ts';
import type { PaidCall } from './call.ts';
import type { Candidate, CatalogRoute, Model } from './catalog/catalog-document.ts';
import {
  boundTextTokens,
  countPromptTokens,
  dialectTokens,
  LARGEST_WINDOW,
  type PromptBound,
  promptBounds,
  rateTokens,
} from './metering/estimate.ts';
import { openOutput } from './metering/output-bound.ts';
import { tokenPrices } from './metering/priced-usage.ts';
import { type PromptSize, promptSizeOf } from './metering/prompt-size.ts';
import { type BillableItems, promptWithUses, type TokenBounds, worstCost } from './pricing/billable-items.ts';
import { chooseRoutes, type PricedCandidate, type RouteChoice } from './routing/route-choice.ts';
import { ignoredFields, takesOf } from './routing/route-support.ts';
import type { ChatPayload } from './upstream/provider.ts';
import { overflowMessage } from './upstream/rejection.ts';

/** The bounds by which a call is admitted, and the routes that can serve it. */
export type Quote = Pick<PaidCall<unknown>, 'scope' | 'candidates' | 'output' | 'tokens' | 'cost'>;

/** The upper bounds of a call's tokens and cost. */
export interface Estimate {
  /** They count against the key's tokens a minute. */
  readonly tokens: number;
  /** To be held. */
  readonly amount: NanoUsd;
}

/** The billable items of a chat call on a route, with the largest counts there. */
interface RouteBounds {
  readonly billableItems: BillableItems;
  readonly tokens: TokenBounds;
}

export interface ChatQuote extends Quote {
  readonly prompt: PromptSize;
  /** The fields of the request that some candidate does not get. */
  readonly ignored: readonly string[];
  /** Returns the bounds on a route for an output of each choice, in tokens. */
  boundsOn(route: CatalogRoute, output: number): RouteBounds;
}

export interface RequestedOutput {
  readonly choices: number;
  /** Tokens of each choice; undefined if the caller leaves them to the service. */
  readonly tokens: number | undefined;
}

/** Quotes a chat call. Throws 400 if no route can serve it, if no model has room for it, and if something has no price. */
export function quoteChat(
  choice: Required<RouteChoice> & { readonly call: { readonly payload: ChatPayload } },
  { choices, tokens: requestedTokens }: RequestedOutput,
): ChatQuote {
  const { payload, request } = choice.call;
  const able = chooseRoutes(choice);
  const body = bodyFor(
    payload,
    able.map(({ route }) => route),
  );
  const prompt = promptSizeOf(body);
  const promptBound = promptBounds(prompt);
  const candidates = fittingCandidates(able, promptBound, payload);
  // Tokens of server tools are counted separately if the catalog specifies their number.
  const withoutTools = prompt.providerTools ? promptBounds({ ...prompt, providerTools: false }) : promptBound;
  const bounded = candidates.map((candidate) => {
    const { model, route, billableItems } = candidate;
    const { tokens } = (billableItems.tokensByUses === undefined ? promptBound : withoutTools)(model);
    return {
      candidate,
      promptTokens: tokens + dialectTokens(route.dialect, body, prompt.messages),
      // Computed once: the texts may be long, and an admission requests several outputs.
      outputTextTokens: boundTextTokens(billableItems.outputStrings),
    };
  });
  const boundsAt = (
    { candidate, promptTokens, outputTextTokens }: (typeof bounded)[number],
    output: number,
  ) => routeBounds(candidate, { prompt: promptTokens, completion: output * choices + outputTextTokens });
  const costAt = (each: (typeof bounded)[number], output: number) => {
    const { billableItems, tokens } = boundsAt(each, output);
    return worstCost(tokenPrices(each.candidate.model), billableItems, tokens);
  };
  const promptRate = rateTokens(prompt.strings);
  return {
    scope: scopeOf('chat', candidates),
    candidates,
    output:
      requestedTokens === undefined
        ? openOutput(modelsOf(candidates), (model) => ({
            upperBound: promptBound(model).tokens,
            probable: () => countPromptTokens(prompt, model),
          }))
        : { min: requestedTokens, max: requestedTokens },
    tokens: (output) => promptRate + output * choices,
    cost: (output) => bounded.map((each) => costAt(each, output)).reduce(greatest),
    prompt,
    ignored: candidates.flatMap(({ route }) => [...ignoredFields(route, payload, request)]),
    boundsOn(route, output) {
      const boundedCandidate = bounded.find(({ candidate }) => candidate.route === route);
      if (boundedCandidate === undefined) throw new Error(`${route.id} is no candidate`);
      return boundsAt(boundedCandidate, output);
    },
  };
}

function routeBounds({ model, billableItems }: PricedCandidate, bounds: TokenBounds): RouteBounds {
  const window = model.context_window ?? LARGEST_WINDOW;
  return { billableItems, tokens: { ...bounds, prompt: promptWithUses(billableItems, bounds, window) } };
}

const modelsOf = (candidates: readonly Candidate[]): readonly Model[] => [
  ...new Set(candidates.map(({ model }) => model)),
];

/** Under all names of the models, because a key's policy may name any. */
export const scopeOf = (kind: Kind, candidates: readonly Candidate[]): Quote['scope'] => ({
  kind,
  models: modelsOf(candidates).map(({ id, aliases }) => [id, ...aliases]),
});

/** Returns the candidates whose context window may fit the prompt. Throws 400 `prompt_too_long` if there are none. */
function fittingCandidates(
  candidates: readonly PricedCandidate[],
  promptBound: (model: Model) => PromptBound,
  { protocol }: ChatPayload,
): readonly PricedCandidate[] {
  const fitting = candidates.filter(({ model }) => promptBound(model).minTokens <= windowOf(model));
  const model = candidates[0]?.model;
  if (fitting.length > 0 || model === undefined) return fitting;
  const message = overflowMessage({ prompt: promptBound(model).minTokens, window: model.context_window });
  throw new ServiceError('prompt_too_long', `The ${message} It has at least that many tokens.`, {
    param: protocol === 'openai-responses' ? 'input' : 'messages',
  });
}

const windowOf = ({ context_window: window = Number.POSITIVE_INFINITY }: Model): number => window;

/** The body with every undocumented field that one of these routes takes. */
export function bodyFor(
  { protocol, body, bodyWith, fields }: Pick<ChatPayload, 'protocol' | 'body' | 'bodyWith' | 'fields'>,
  routes: readonly CatalogRoute[],
): JsonObject {
  if (bodyWith === undefined) return body;
  const takers = routes.filter((route) => route.protocol === protocol).map(takesOf);
  const takes = (pattern: string) => takers.some((isTaken) => isTaken(pattern));
  return fields.undocumented.some(({ pattern }) => takes(pattern)) ? bodyWith(takes) : body;
}
