/** The fields of a conversation that chat completions and Responses have under the same names. */
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Conversation } from '../../core/upstream/conversation.ts';

export function conversationFields({ tools, ...conversation }: Conversation): JsonObject {
  const { temperature, topP, parallelToolCalls, user, safetyIdentifier, promptCacheKey } = conversation;
  const fields = {
    temperature,
    top_p: topP,
    // Servers reject it without tools.
    parallel_tool_calls: tools.length === 0 ? undefined : parallelToolCalls,
    user,
    safety_identifier: safetyIdentifier,
    prompt_cache_key: promptCacheKey,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
