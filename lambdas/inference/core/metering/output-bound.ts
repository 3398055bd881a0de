/**
 * The length of an output: as its caller specifies, as the operator has decided for the model, or as wallet and key
 * allow.
 */

import type { OutputRange } from '../../../ledger/core/call.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import type { Model } from '../catalog/catalog-document.ts';
import { LARGEST_WINDOW, type PromptTokens } from './estimate.ts';

/** The output bound that a request specifies. */
export interface RequestedBound {
  /** The most output tokens of one choice; undefined where the caller does not say. */
  readonly tokens: number | undefined;
  /** The field that specifies the limit. */
  readonly param: string;
  /**
   * The bound that applies in its place. Undefined in an API format that leaves an unspecified bound to the service.
   */
  readonly fallback: number | undefined;
}

export interface OutputBound {
  /** Undefined: as long as balance, limits and model allow. */
  readonly tokens: number | undefined;
  /** True if the limit differs from the caller's request. */
  readonly isChosen: boolean;
}

type OutputLimits = Pick<Model, 'id' | 'max_output_tokens' | 'default_max_tokens' | 'clamp_max_tokens'>;

/**
 * Returns the output limit that is valid for every model. Throws 400 if the caller requests more than a model's
 * maximum, unless the operator has requests clamped.
 */
export function outputBound(
  models: readonly OutputLimits[],
  { tokens: requestedTokens, param, fallback }: RequestedBound,
): OutputBound {
  if (requestedTokens === undefined) {
    const tokens = fallback === undefined ? undefined : (models[0]?.default_max_tokens ?? fallback);
    return { tokens: tokens === undefined ? undefined : clampToModels(models, tokens), isChosen: true };
  }
  const strict = models.find(
    ({ max_output_tokens: maxOutputTokens, clamp_max_tokens: clamped }) =>
      maxOutputTokens !== undefined && requestedTokens > maxOutputTokens && !clamped,
  );
  if (strict !== undefined) {
    const limit = `${strict.id} writes at most ${strict.max_output_tokens} tokens`;
    const message = `${param}: ${limit}, and this request allows ${requestedTokens}. Request fewer, or choose another model.`;
    throw new ServiceError('invalid_value', message, { param });
  }
  const tokens = clampToModels(models, requestedTokens);
  return { tokens, isChosen: tokens !== requestedTokens };
}

const clampToModels = (models: readonly OutputLimits[], tokens: number): number =>
  Math.min(tokens, ...models.map(({ max_output_tokens: maxOutputTokens }) => maxOutputTokens ?? tokens));

/** The divisor of the context window that gives the output of a model for which the catalog sets no limit. */
const SHARE_OF_WINDOW = 4;

/** The most of that: what the larger models of the last years write at least. */
const MAX_UNSPECIFIED_TOKENS = 32_768;

/** The minimum that an output is cut to, if the model allows as much. It is the default of chat and Messages. */
const SHORTEST_TOKENS = 256;

type OpenLimits = Pick<Model, 'context_window' | 'max_output_tokens'>;

/**
 * Returns the output range in tokens if the caller leaves the limit to the service. The upper end is the maximum output
 * of every model after the prompt. If wallet or key cannot cover it, the output is reduced to what they cover, but not
 * below the lower end.
 */
export function openOutput(
  models: readonly OpenLimits[],
  prompt: Pick<PromptTokens, 'held' | 'probable'>,
): OutputRange {
  const maxTokens = Math.min(...models.map((model) => longestOf(model, prompt)));
  return { min: Math.min(maxTokens, SHORTEST_TOKENS), max: maxTokens };
}

/** Returns the model's largest output if it certainly fits, else half of the window that the prompt probably leaves. */
function longestOf(model: OpenLimits, prompt: Pick<PromptTokens, 'held' | 'probable'>): number {
  const { context_window: window = Number.POSITIVE_INFINITY, max_output_tokens: named } = model;
  const share = Math.floor((model.context_window ?? LARGEST_WINDOW) / SHARE_OF_WINDOW);
  const maxTokens = named ?? Math.min(share, MAX_UNSPECIFIED_TOKENS);
  const certain = window - prompt.held(model);
  if (certain >= maxTokens) return Math.max(1, maxTokens);
  const probable = Math.floor((window - prompt.probable(model)) / 2);
  return Math.min(maxTokens, Math.max(certain, probable, SHORTEST_TOKENS));
}
