/** Fields of a request that Claude does not take from a caller of another protocol, though its protocols have them. */
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../catalog/catalog-document.ts';
import { isClaudeOnBedrock, isNotBlank, MIN_TOP_P } from '../upstream/claude.ts';
import { budgetOf, isOff } from '../upstream/effort.ts';
import type { ChatPayload } from '../upstream/provider.ts';

/** A budget needs room in the output, which may still be open. */
const OPEN_BOUND = 1_000_000;

/** Returns the names of the request's fields of which something is left out: stop sequences, and sampling. */
export function fieldsWithoutClaude(
  route: CatalogRoute,
  payload: Partial<Pick<ChatPayload, 'conversation' | 'limitedTo'>>,
  request: JsonObject,
): readonly string[] {
  const { temperature, top_p: topP } = request;
  const isClaude = route.protocol === 'anthropic' || isClaudeOnBedrock(route.upstream_model);
  const stopFields = ['stop', 'stop_sequences'].filter((name) =>
    [request[name]].flat().some((text) => typeof text === 'string' && !isNotBlank(text)),
  );
  const hasTopP = typeof topP === 'number' && topP !== 1;
  const isSampled = temperature != null || hasTopP;
  const thinks = isClaude && isSampled && isThinking(route, payload);
  return [
    ...(isClaude ? stopFields : []),
    ...(temperature != null && (thinks || hasTopP) ? ['temperature'] : []),
    ...(hasTopP && thinks && topP < MIN_TOP_P ? ['top_p'] : []),
  ];
}

function isThinking(
  { dialect }: CatalogRoute,
  payload: Partial<Pick<ChatPayload, 'conversation' | 'limitedTo'>>,
): boolean {
  const mode = dialect?.reasoning_request;
  if (mode !== 'adaptive' && mode !== 'switch' && mode !== 'budget') return false;
  const { reasoning, maxTokens = OPEN_BOUND } =
    (payload.limitedTo?.(OPEN_BOUND) ?? payload).conversation?.() ?? {};
  if (reasoning === undefined || isOff(reasoning)) return false;
  return mode !== 'budget' || budgetOf(reasoning, maxTokens) !== undefined;
}
