/** A payload as one route takes it: without what the operator says that its model refuses. */
import type { Route } from '../catalog/catalog-document.ts';
import type { ChatPayload } from '../upstream/provider.ts';

/** The sampling fields of either protocol, as reasoning models refuse them (OpenAI docs, Reasoning models). */
export function payloadFor({ reasoning }: Route, payload: ChatPayload): ChatPayload {
  if (!reasoning) return payload;
  const { temperature: _temperature, top_p: _topP, top_k: _topK, ...body } = payload.body;
  return {
    ...payload,
    body,
    conversation: () => {
      const { temperature: _warmth, topP: _share, ...conversation } = payload.conversation();
      return conversation;
    },
  };
}
