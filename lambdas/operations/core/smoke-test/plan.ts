/**
 * The models to call, and the maximum cost of each call. Both are determined before the first call, and so is the
 * grant.
 */

import type { CatalogDocument, Model } from '../../../inference/core/catalog/catalog-document.ts';
import { measuredCost, tokenPrices } from '../../../inference/core/metering/priced-usage.ts';
import { imageItem } from '../../../inference/core/pricing/bill.ts';
import { billableItemsOf, worstCost } from '../../../inference/core/pricing/billable-items.ts';
import { KINDS, type Kind } from '../../../platform/core/kinds.ts';
import { formatUsd, greatest, least, NANO_PER_CENT, type NanoUsd } from '../../../platform/core/money.ts';
import { MAX_RECORDED_SECONDS } from './recording.ts';

/** More than this no account of a smoke test is given. */
const MAX_GRANT: NanoUsd = 5n * NANO_PER_CENT;

/** The number of calls of a chat model: complete, streamed, as Messages and as Responses. */
const CALLS: Readonly<Partial<Record<Kind, bigint>>> = { chat: 4n };

/** The maximum output tokens of each call. */
export const OUTPUT_TOKENS = 64;

/** Far more than a question of a few words counts with all that a host puts before it. */
const PROMPT_TOKENS = 2_048;

/** The text that is embedded, drawn and spoken. No tokenizer makes more tokens of it than the constant below. */
export const WORDS = 'A small red boat on a calm lake.';
const TEXT_TOKENS = 64;

/** The size that is drawn where a request names none. */
const IMAGE_SIZE = '1024x1024';

/** The model that is called for a kind, or the reason for which none is. */
export type Choice =
  | { readonly kind: Kind; readonly model: Model; readonly maxCost: NanoUsd }
  | { readonly kind: Kind; readonly model?: undefined; readonly reason: string };

export interface Plan {
  /** One or more for each kind, in the order of their calls: the cheapest first. */
  readonly choices: readonly Choice[];
  /** The grant to the account, nano-USD: the maximum cost of all calls, up to `MAX_GRANT`. */
  readonly grant: NanoUsd;
  /** The model whose call may cost most, and what it may. */
  readonly highestCost: { readonly model: string; readonly maxCost: NanoUsd } | undefined;
}

/** Returns the maximum cost of one call of the smoke test on a model, nano-USD. */
function maxCostOf(model: Model): NanoUsd {
  if (model.type === 'chat') {
    const prices = tokenPrices(model);
    const billableItems = billableItemsOf(prices);
    if ('unpriced' in billableItems) throw new Error(`${model.id} has no price for a plain call`);
    return worstCost(prices, billableItems, { prompt: PROMPT_TOKENS, completion: OUTPUT_TOKENS });
  }
  return measuredCost(model, {
    tokens: TEXT_TOKENS,
    characters: [...WORDS].length,
    images: new Map([[imageItem('', IMAGE_SIZE), 1]]),
    seconds: MAX_RECORDED_SECONDS,
  });
}

/** A key names at most 20 models, and those of kinds for which none is named are added. */
const MAX_NAMED_MODELS = 15;

/**
 * Returns the models of each kind: the specified ones, else the catalog's default, else its first one. A default that
 * is too expensive is replaced by the model with the lowest price. Throws if the catalog does not have a specified
 * model.
 */
export function planOf({ models, defaults }: CatalogDocument, named: readonly string[] = []): Plan {
  if (named.length > MAX_NAMED_MODELS) throw new Error(`name at most ${MAX_NAMED_MODELS} models`);
  const requestedModels = named.map((name) => namedIn(models, name));
  const choices = KINDS.flatMap((kind) => {
    const chosen = requestedModels.filter(({ type }) => type === kind);
    if (chosen.length > 0) return chosen.map((model) => affordable(kind, model));
    return usual(
      kind,
      models.filter(({ type }) => type === kind),
      defaults[kind],
    );
  }).toSorted((a, b) => Number(maxCostOfChoice(a) - maxCostOfChoice(b)));
  const sum = choices.reduce((total, each) => total + maxCostOfChoice(each) * (CALLS[each.kind] ?? 1n), 0n);
  const last = choices.at(-1);
  return {
    choices,
    grant: least(greatest(sum, 1n), MAX_GRANT),
    highestCost: last?.model === undefined ? undefined : { model: last.model.id, maxCost: last.maxCost },
  };
}

function namedIn(models: readonly Model[], name: string): Model {
  const model = models.find(({ id, aliases }) => id === name || aliases.includes(name));
  if (model === undefined) throw new Error(`the catalog has no model ${name}`);
  return model;
}

const cheapestOf = (models: readonly Model[]): Model =>
  models.reduce((a, b) => (maxCostOf(b) < maxCostOf(a) ? b : a));

/**
 * Returns the models that a scheduled run calls: the specified ones, else the chat model with the lowest price. Throws
 * for a name that the catalog does not have, and if it has no chat model.
 */
export function scheduledChoicesOf(
  { models }: CatalogDocument,
  named: readonly string[] = [],
): readonly Choice[] {
  if (named.length > 0)
    return named.map((name) => namedIn(models, name)).map((model) => affordable(model.type, model));
  const chat = models.filter(({ type }) => type === 'chat');
  if (chat.length === 0) throw new Error('the catalog has no model of chat');
  return [affordable('chat', cheapestOf(chat))];
}

const maxCostOfChoice = (choice: Choice): NanoUsd => (choice.model === undefined ? 0n : choice.maxCost);

function usual(kind: Kind, models: readonly Model[], byDefault: string | undefined): Choice {
  const first = models.find(({ id }) => id === byDefault) ?? models[0];
  if (first === undefined) return { kind, reason: 'the catalog has no model of this kind' };
  const choice = affordable(kind, first);
  if (choice.model !== undefined) return choice;
  return affordable(kind, cheapestOf(models));
}

function affordable(kind: Kind, model: Model): Choice {
  const maxCost = maxCostOf(model);
  if (maxCost <= MAX_GRANT) return { kind, model, maxCost };
  const limit = formatUsd(MAX_GRANT);
  return { kind, reason: `a call of ${model.id} may cost ${formatUsd(maxCost)} USD, more than ${limit}` };
}
