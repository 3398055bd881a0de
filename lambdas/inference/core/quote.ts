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
import { boundTextTokens, dialectTokens, LARGEST_WINDOW, PromptTokens } from './metering/estimate.ts';
import { openOutput } from './metering/output-bound.ts';
import { tokenPrices } from './metering/priced-usage.ts';
import { promptSizeOf } from './metering/prompt-size.ts';
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

/** The most that a chat call with one output may be billed for on a route. */
interface RoutePrice {
  readonly billableItems: BillableItems;
  readonly bound: TokenBounds;
  readonly cost: NanoUsd;
}

export interface ChatQuote {
  readonly quote: Quote;
  readonly prompt: PromptTokens;
  /** The fields of the request that some candidate does not get. */
  readonly ignored: readonly string[];
  /** Returns the price on the route of a candidate for an output of each choice, in tokens. */
  priceOn(route: CatalogRoute, output: number): RoutePrice;
}

export interface RequestedOutput {
  readonly choices: number;
  /** Tokens of each choice; undefined if the caller leaves them to the service. */
  readonly tokens: number | undefined;
}

/** Quotes a chat call. Throws 400 if no route can serve it, if no model has room for it, and if something has no price. */
export function quoteChat(
  choice: RouteChoice & { readonly call: { readonly payload: ChatPayload } },
  { choices, tokens }: RequestedOutput,
): ChatQuote {
  const { payload, request } = choice.call;
  const ableCandidates = chooseRoutes(choice);
  const body = bodyFor(
    payload,
    ableCandidates.map(({ route }) => route),
  );
  const size = promptSizeOf(body);
  const prompt = new PromptTokens(size);
  const candidates = fittingCandidates(ableCandidates, prompt, payload);
  const prices = new Map(
    candidates.map((candidate) => {
      const { model, route, billableItems } = candidate;
      const added = dialectTokens(route.dialect, body, size.messages);
      return [route, priceByOutput(candidate, prompt.held(model, billableItems) + added, choices)];
    }),
  );
  const models = modelsOf(candidates);
  const probableTokens = Math.max(...models.map((model) => prompt.probable(model)));
  return {
    quote: {
      scope: scopeOf('chat', candidates),
      candidates,
      output: tokens === undefined ? openOutput(models, prompt) : { min: tokens, max: tokens },
      tokens: (output) => probableTokens + output * choices,
      cost: (output) => [...prices.values()].map((priceAt) => priceAt(output).cost).reduce(greatest),
    },
    prompt,
    ignored: candidates.flatMap(({ route }) => [...ignoredFields(route, payload, request)]),
    priceOn(route, output) {
      const priceAt = prices.get(route);
      if (priceAt === undefined) throw new Error(`${route.id} is no candidate`);
      return priceAt(output);
    },
  };
}

/** Prices a call by its output. Its texts are measured once, because an admission requests several outputs. */
function priceByOutput({ model, billableItems }: PricedCandidate, promptTokens: number, choices: number) {
  const textTokens = boundTextTokens(billableItems.outputStrings);
  const window = model.context_window ?? LARGEST_WINDOW;
  return (output: number): RoutePrice => {
    const completion = output * choices + textTokens;
    const prompt = promptWithUses(billableItems, { prompt: promptTokens, completion }, window);
    const bound = { prompt, completion };
    return { billableItems, bound, cost: worstCost(tokenPrices(model), billableItems, bound) };
  };
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
  { lower: promptTokens }: PromptTokens,
  { protocol }: ChatPayload,
): readonly PricedCandidate[] {
  const fitting = candidates.filter(({ model }) => promptTokens <= windowOf(model));
  const model = candidates[0]?.model;
  if (fitting.length > 0 || model === undefined) return fitting;
  const message = overflowMessage({ prompt: promptTokens, window: model.context_window });
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
