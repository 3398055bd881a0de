/**
 * The length of an output: as its caller specifies, as the operator has decided for the model, or as wallet and key
 * allow.
 */

import type { OutputRange } from '../../../ledger/core/call.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import type { Model } from '../catalog/catalog-document.ts';
import { LARGEST_WINDOW } from './estimate.ts';

/** The output bound that a request specifies. */
export interface AskedBound {
  /** The most output tokens of one choice; undefined where the caller does not say. */
  readonly tokens: number | undefined;
  /** The field that says so. */
  readonly param: string;
  /**
   * The bound that applies in its place. Undefined in an API format that leaves an unspecified bound to the service.
   */
  readonly fallback: number | undefined;
}

export interface OutputBound {
  /** Undefined: as long as balance, limits and model allow. */
  readonly tokens: number | undefined;
  /** It is not what the caller asked for. */
  readonly isChosen: boolean;
}

type AskedLimits = Pick<Model, 'id' | 'max_output_tokens' | 'default_max_tokens' | 'clamp_max_tokens'>;

/**
 * The bound of an answer that any of the models may write. Throws 400 when more is asked for than a model writes, unless
 * the operator has its requests clamped.
 */
export function outputBound(
  models: readonly AskedLimits[],
  { tokens: asked, param, fallback }: AskedBound,
): OutputBound {
  if (asked === undefined) {
    const tokens = fallback === undefined ? undefined : (models[0]?.default_max_tokens ?? fallback);
    return { tokens: tokens === undefined ? undefined : atMost(models, tokens), isChosen: true };
  }
  const strict = models.find(
    ({ max_output_tokens: most, clamp_max_tokens: clamped }) =>
      most !== undefined && asked > most && !clamped,
  );
  if (strict !== undefined) {
    const message = `${param}: ${strict.id} writes at most ${strict.max_output_tokens} tokens.`;
    throw new ServiceError('invalid_value', message, { param });
  }
  const tokens = atMost(models, asked);
  return { tokens, isChosen: tokens !== asked };
}

const atMost = (models: readonly AskedLimits[], tokens: number): number =>
  Math.min(tokens, ...models.map(({ max_output_tokens: most }) => most ?? tokens));

/** The divisor of the context window that gives the output of a model for which the catalog sets no limit. */
const SHARE_OF_WINDOW = 4;

/** The most of that: what the larger models of the last years write at least. */
const MOST_UNNAMED_TOKENS = 32_768;

/** An answer is not cut shorter than this, the default of chat and Messages, where the model writes as much. */
const SHORTEST_TOKENS = 256;

type OpenLimits = Pick<Model, 'context_window' | 'max_output_tokens'>;

/** The known token counts of a prompt on a model. */
interface PromptTokens {
  readonly most: number;
  readonly probable: () => number;
}

/**
 * The output of an answer whose caller leaves it to the service, tokens: as long as each of the models writes after a prompt,
 * and, where wallet or key do not leave so much, as long as they do, but for the shortest answers.
 */
export function openOutput<M extends OpenLimits>(
  models: readonly M[],
  promptTokens: (model: M) => PromptTokens,
): OutputRange {
  const most = Math.min(...models.map((model) => longestOf(model, promptTokens(model))));
  return { least: Math.min(most, SHORTEST_TOKENS), most };
}

/** Returns the model's largest output if it certainly fits, else half of the window that the prompt probably leaves. */
function longestOf({ context_window: window, max_output_tokens: named }: OpenLimits, prompt: PromptTokens) {
  const most =
    named ?? Math.min(Math.floor((window ?? LARGEST_WINDOW) / SHARE_OF_WINDOW), MOST_UNNAMED_TOKENS);
  if (window === undefined || window - prompt.most >= most) return Math.max(1, most);
  const room = Math.max(window - prompt.most, Math.floor((window - prompt.probable()) / 2), SHORTEST_TOKENS);
  return Math.min(most, room);
}
