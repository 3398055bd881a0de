/**
 * How long an answer may be whose caller leaves that to the service: as long as the model writes, and, where wallet or
 * key do not leave so much, as long as they do, but for the shortest answers.
 */
import type { OutputRange } from '../../ledger/call.ts';
import type { Model } from '../catalog/catalog-document.ts';
import { LARGEST_WINDOW } from '../metering/estimate.ts';

/** Of its context window, what a model writes for which the catalog names no limit. */
const SHARE_OF_WINDOW = 4;

/** The most of that: what the larger models of the last years write at least. */
const MOST_UNNAMED_TOKENS = 32_768;

/** An answer is not cut shorter than this, the default of chat and Messages, where the model writes as much. */
const SHORTEST_TOKENS = 256;

type Limits = Pick<Model, 'context_window' | 'max_output_tokens'>;

/** What is known of a prompt's tokens on a model. */
interface PromptTokens {
  readonly most: number;
  readonly probable: () => number;
}

/** The output that each of the models writes after a prompt, tokens. */
export function openOutput<M extends Limits>(
  models: readonly M[],
  promptTokens: (model: M) => PromptTokens,
): OutputRange {
  const most = Math.min(...models.map((model) => longestOf(model, promptTokens(model))));
  return { least: Math.min(most, SHORTEST_TOKENS), most };
}

/** All that the model writes, if that certainly fits; else half of what the prompt probably leaves of the window. */
function longestOf({ context_window: window, max_output_tokens: named }: Limits, prompt: PromptTokens) {
  const most =
    named ?? Math.min(Math.floor((window ?? LARGEST_WINDOW) / SHARE_OF_WINDOW), MOST_UNNAMED_TOKENS);
  if (window === undefined || window - prompt.most >= most) return Math.max(1, most);
  const room = Math.max(window - prompt.most, Math.floor((window - prompt.probable()) / 2), SHORTEST_TOKENS);
  return Math.min(most, room);
}
