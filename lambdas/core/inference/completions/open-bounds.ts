/**
 * How long an answer may be whose caller leaves that to the service: as long as the model writes, and, where wallet or
 * key do not leave so much, a quarter of that, and so on, down to an answer of about a thousand tokens.
 */
import type { Model } from '../catalog/catalog-document.ts';
import { LARGEST_WINDOW } from '../metering/estimate.ts';

/** Of its context window, what a model writes for which the catalog names no limit. */
const SHARE_OF_WINDOW = 4;

/** The most of that: what the larger models of the last years write at least. */
const MOST_UNNAMED_TOKENS = 32_768;

/** Each bound is this part of the one before: few tries from the longest to the shortest. */
const STEP = 4;

/** A bound that is as short as this has no shorter one. */
const SHORT_TOKENS = 1_024;

/** The shortest bound, where the model has room for it: the default of chat and Messages. */
const SHORTEST_TOKENS = 256;

type Limits = Pick<Model, 'context_window' | 'max_output_tokens'>;

/** What is known of a prompt's tokens on a model. */
interface PromptTokens {
  readonly most: number;
  readonly probable: () => number;
}

/** Tokens of output, the longest first, that each of the models writes after a prompt. */
export function openBounds<M extends Limits>(
  models: readonly M[],
  promptTokens: (model: M) => PromptTokens,
): readonly [number, ...number[]] {
  const longest = Math.min(...models.map((model) => longestOf(model, promptTokens(model))));
  const bounds: [number, ...number[]] = [longest];
  for (let bound = longest; bound > SHORT_TOKENS; bounds.push(bound))
    bound = Math.max(SHORTEST_TOKENS, Math.floor(bound / STEP));
  return bounds;
}

/** All that the model writes, if that certainly fits; else half of what the prompt probably leaves of the window. */
function longestOf({ context_window: window, max_output_tokens: named }: Limits, prompt: PromptTokens) {
  const most =
    named ?? Math.min(Math.floor((window ?? LARGEST_WINDOW) / SHARE_OF_WINDOW), MOST_UNNAMED_TOKENS);
  if (window === undefined || window - prompt.most >= most) return most;
  const room = Math.max(window - prompt.most, Math.floor((window - prompt.probable()) / 2), SHORTEST_TOKENS);
  return Math.min(most, room);
}
