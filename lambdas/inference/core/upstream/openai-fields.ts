/** Fields that requests of chat completions and of Responses have under the same names, as they are in a conversation. */
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Conversation, ImagePart } from './conversation.ts';

type Name = string | null | undefined;

/** Returns the caller's names for its user and for the cache of its prompt. */
export const identifiersOf = (request: {
  readonly user?: Name;
  readonly safety_identifier?: Name;
  readonly prompt_cache_key?: Name;
}): Pick<Conversation, 'user' | 'safetyIdentifier' | 'promptCacheKey'> => ({
  ...(request.user == null ? {} : { user: request.user }),
  ...(request.safety_identifier == null ? {} : { safetyIdentifier: request.safety_identifier }),
  ...(request.prompt_cache_key == null ? {} : { promptCacheKey: request.prompt_cache_key }),
});

/** Returns the resolution at which the model reads an image. `auto` is the default. */
export const detailOf = ({ detail }: JsonObject): Pick<ImagePart, 'detail'> =>
  typeof detail === 'string' && detail !== 'auto' ? { detail } : {};
