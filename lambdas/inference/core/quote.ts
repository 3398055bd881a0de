/**
 * The quote of a request: the routes that can serve it, and what it counts and costs at most. It is made before anything is
 * held, and the hold is its price.
 *
 *   chat:        routes -> body that leaves -> size of the prompt -> models with room -> bound of each route -> price
 *   other kinds: routes, and the measure of the request at the price of its model
 */

import { NO_OUTPUT } from '../../ledger/core/call.ts';
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
import { type MostTokens, promptWithUses, type Terms, worstCost } from './pricing/terms.ts';
import { ignoredFields, takesOf } from './routing/carries.ts';
import { chooseRoutes, type PricedCandidate, type RouteChoice } from './routing/route-choice.ts';
import type { ChatPayload } from './upstream/provider.ts';
import { overflowMessage } from './upstream/refusal.ts';

/** The bounds by which a call is admitted, and the routes that can serve it. */
export type Quote = Pick<PaidCall<unknown>, 'scope' | 'candidates' | 'output' | 'tokens' | 'cost'>;

/** The upper bounds of a call's tokens and cost. */
export interface Estimate {
  /** They count against the key's tokens a minute. */
  readonly tokens: number;
  /** To be held. */
  readonly amount: NanoUsd;
}

/** Quotes a call of a kind other than chat, which any route of its model serves. Throws 400 if its controls leave none. */
export function quoteKind(
  kind: Exclude<Kind, 'chat'>,
  choice: Omit<RouteChoice, 'call'>,
  { tokens, amount }: Estimate,
): Quote {
  const candidates = chooseRoutes(choice);
  return {
    scope: scopeOf(kind, candidates),
    candidates,
    output: NO_OUTPUT,
    tokens: () => tokens,
    cost: () => amount,
  };
}

/** The billable items of a chat call on a route, with the largest counts and cost there. */
interface RouteBounds {
  readonly terms: Terms;
  readonly tokens: MostTokens;
  readonly cost: NanoUsd;
}

export interface ChatQuote extends Quote {
  readonly prompt: PromptSize;
  /** The fields of the request that some candidate does not get. */
  readonly ignored: readonly string[];
  /** Returns the bounds on a route for an output of each choice, in tokens. */
  boundsOn(route: CatalogRoute, output: number): RouteBounds;
}

export interface AskedOutput {
  readonly choices: number;
  /** Tokens of each choice; undefined if the caller leaves them to the service. */
  readonly tokens: number | undefined;
}

/** Quotes a chat call. Throws 400 if no route can serve it, if no model has room for it, and if something has no price. */
export function quoteChat(choice: Required<RouteChoice>, { choices, tokens: asked }: AskedOutput): ChatQuote {
  const { payload, request } = choice.call;
  const able = chooseRoutes(choice);
  const body = bodyFor(
    payload,
    able.map(({ route }) => route),
  );
  const prompt = promptSizeOf(body);
  const promptBound = promptBounds(prompt);
  const candidates = withRoom(able, promptBound, payload);
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
  const boundsAt = (
    { candidate, promptTokens, outputTextTokens }: (typeof bounded)[number],
    output: number,
  ) => routeBounds(candidate, { prompt: promptTokens, completion: output * choices + outputTextTokens });
  const promptRate = rateTokens(prompt.texts);
  return {
    scope: scopeOf('chat', candidates),
    candidates,
    output:
      asked === undefined
        ? openOutput(modelsOf(candidates), (model) => ({
            most: promptBound(model).tokens,
            probable: () => countPromptTokens(prompt, model),
          }))
        : { least: asked, most: asked },
    tokens: (output) => promptRate + output * choices,
    cost: (output) => bounded.map((each) => boundsAt(each, output).cost).reduce(greatest),
    prompt,
    ignored: candidates.flatMap(({ route }) => [...ignoredFields(route, payload, request)]),
    boundsOn(route, output) {
      const found = bounded.find(({ candidate }) => candidate.route === route);
      if (found === undefined) throw new Error(`${route.id} is no candidate`);
      return boundsAt(found, output);
    },
  };
}

function routeBounds({ model, terms }: PricedCandidate, most: MostTokens): RouteBounds {
  const window = model.context_window ?? LARGEST_WINDOW;
  const tokens = { ...most, prompt: promptWithUses(terms, most, window) };
  return { terms, tokens, cost: worstCost(tokenPrices(model), terms, tokens) };
}

const modelsOf = (candidates: readonly Candidate[]): readonly Model[] => [
  ...new Set(candidates.map(({ model }) => model)),
];

/** Under all names of the models, because a key's policy may name any. */
const scopeOf = (kind: Kind, candidates: readonly Candidate[]): Quote['scope'] => ({
  kind,
  models: modelsOf(candidates).map(({ id, aliases }) => [id, ...aliases]),
});

/** The candidates whose model may have room, as their routes know. Throws 400 `prompt_too_long` when none has. */
function withRoom(
  candidates: readonly PricedCandidate[],
  promptBound: (model: Model) => PromptBound,
  { protocol }: ChatPayload,
): readonly PricedCandidate[] {
  const fitting = candidates.filter(({ model }) => promptBound(model).least <= windowOf(model));
  const model = candidates[0]?.model;
  if (fitting.length > 0 || model === undefined) return fitting;
  const message = overflowMessage({ prompt: promptBound(model).least, window: model.context_window });
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
