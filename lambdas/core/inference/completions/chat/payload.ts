/** What a chat request asks of a route: the body to forward, and what the route must be able to do. */
import type { Capability } from '../../catalog/route-document.ts';
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
  partsOf,
  thoughtSignatureOf,
} from './request.ts';

/**
 * The request with defaults filled in, without nulls and without the fields that only the service uses. Throws 400
 * `invalid_value` for an image or a file on a private network, and `invalid_capsule` for a signature that was changed.
 */
export function toPayload(request: ChatRequest, capsules: Capsules): ChatPayload {
  openAll(request, capsules);
  const body = forwardedFields(request);
  body.messages = request.messages.map(asSystem);
  body.temperature ??= DEFAULT_TEMPERATURE;
  // Two names of one thing: servers refuse a request that uses both.
  if (body.max_completion_tokens === undefined) body.max_tokens ??= DEFAULT_MAX_TOKENS;
  else delete body.max_tokens;
  const parts = partsOf(request);
  const images = parts.flatMap((part) => (part.type === 'image_url' ? [part.image_url.url] : []));
  const files = parts.flatMap((part) => (part.type === 'file' ? [part.file.file_data] : []));
  const hasAudio = parts.some(({ type }) => type === 'input_audio');
  requirePublicImages([...images, ...files]);
  return {
    protocol: 'openai',
    body,
    conversation: () => toConversation(request),
    stream: request.stream === true,
    needs: [
      ...needsOf(request),
      ...(images.length > 0 ? (['vision'] as const) : []),
      ...(files.length > 0 ? (['documents'] as const) : []),
      ...(hasAudio ? (['audio'] as const) : []),
    ],
    features: [
      ...(choicesOf(request) > 1 ? (['choices'] as const) : []),
      ...(images.some(isLink) ? (['image-urls'] as const) : []),
      ...(files.length > 0 ? (['documents'] as const) : []),
      ...(files.some(isLink) ? (['document-urls'] as const) : []),
      ...(hasAudio ? (['audio'] as const) : []),
      ...(hasStop(request) ? (['stop-sequences'] as const) : []),
    ],
    demands: demandsOf(OPENAI_CHAT, body),
  };
}

/** Looks at every signature that is sent back: those that are not whole are refused before anything is held. */
function openAll({ messages }: ChatRequest, capsules: Capsules): void {
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const { reasoning_details: details, tool_calls: calls } = message;
    for (const [at, { signature, data }] of (details ?? []).entries()) {
      for (const [field, text] of Object.entries({ signature, data }))
        if (text != null)
          capsules.open('signature', text, `messages[${index}].reasoning_details[${at}].${field}`);
    }
    for (const [at, call] of (calls ?? []).entries()) {
      const proof = thoughtSignatureOf(call);
      if (proof !== undefined)
        capsules.open('signature', proof, `messages[${index}].tool_calls[${at}].extra_content`);
    }
  }
}

const hasStop = ({ stop }: ChatRequest): boolean => stop != null && stop.length > 0;

/** `developer` is OpenAI's newer name of `system`; compatible servers may know only the older one. */
const asSystem = (message: ChatMessage): ChatMessage =>
  message.role === 'developer' ? { ...message, role: 'system' } : message;

const isLink = (url: string): boolean => !/^data:/i.test(url);

function needsOf(request: ChatRequest): Capability[] {
  const needs: Capability[] = [];
  const hasToolTurns = request.messages.some(
    ({ role, tool_calls: calls }) => role === 'tool' || calls != null,
  );
  if (request.tools != null || request.tool_choice != null || hasToolTurns) needs.push('tools');
  if (request.response_format != null && request.response_format.type !== 'text') needs.push('json');
  if (request.stream === true) needs.push('stream');
  return needs;
}
