/** What a chat request asks of a route: the body to forward, and what the route must be able to do. */
import type { Capability } from '../../catalog/catalog-document.ts';
import { OPENAI_CHAT } from '../../levers/openai-chat.ts';
import { demandsOf } from '../../levers/table.ts';
import { forwardedFields } from '../../routing/route-controls.ts';
import type { Capsules } from '../../upstream/capsules.ts';
import { requirePublicImages } from '../../upstream/image-address.ts';
import type { ChatPayload } from '../../upstream/provider.ts';
import { toConversation } from './conversation.ts';
import {
  type ChatMessage,
  type ChatRequest,
  choicesOf,
  DEFAULT_MAX_TOKENS,
  DEFAULT_TEMPERATURE,
  imagesOf,
} from './request.ts';

/**
 * The request with defaults filled in, without nulls and without the fields that only the service uses. Throws 400
 * `invalid_value` for an image on a private network.
 */
export function toPayload(request: ChatRequest, _capsules: Capsules): ChatPayload {
  const body = forwardedFields(request);
  body.messages = request.messages.map(asSystem);
  body.temperature ??= DEFAULT_TEMPERATURE;
  // Two names of one thing: servers refuse a request that uses both.
  if (body.max_completion_tokens === undefined) body.max_tokens ??= DEFAULT_MAX_TOKENS;
  else delete body.max_tokens;
  const images = imagesOf(request);
  requirePublicImages(images);
  return {
    protocol: 'openai',
    body,
    conversation: () => toConversation(request),
    stream: request.stream === true,
    needs: needsOf(request, images.length > 0),
    features: [
      ...(choicesOf(request) > 1 ? (['choices'] as const) : []),
      ...(images.some((url) => !url.startsWith('data:')) ? (['image-urls'] as const) : []),
    ],
    demands: demandsOf(OPENAI_CHAT, body),
  };
}

/** `developer` is OpenAI's newer name of `system`; compatible servers may know only the older one. */
const asSystem = (message: ChatMessage): ChatMessage =>
  message.role === 'developer' ? { ...message, role: 'system' } : message;

function needsOf(request: ChatRequest, hasImages: boolean): Capability[] {
  const needs: Capability[] = [];
  const hasToolTurns = request.messages.some(
    ({ role, tool_calls: calls }) => role === 'tool' || calls != null,
  );
  if (request.tools != null || request.tool_choice != null || hasToolTurns) needs.push('tools');
  if (request.response_format != null && request.response_format.type !== 'text') needs.push('json');
  if (hasImages) needs.push('vision');
  if (request.stream === true) needs.push('stream');
  return needs;
}
