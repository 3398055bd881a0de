/** A chat request as routes get it. */

import { readPayload } from '../../core/completions/forwarded-fields.ts';
import { forwardedFields } from '../../core/routing/route-controls.ts';
import type { Capsules } from '../../core/upstream/capsules.ts';
import type { ChatPayload } from '../../core/upstream/provider.ts';
import { toConversation } from './conversation.ts';
import { CHAT_FIELDS } from './fields.ts';
import {
  type ChatMessage,
  type ChatRequest,
  DEFAULT_MAX_TOKENS,
  DEFAULT_TEMPERATURE,
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
  return {
    protocol: 'openai',
    ...readPayload(CHAT_FIELDS, body),
    conversation: () => toConversation(request),
    stream: request.stream === true,
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

/** `developer` is OpenAI's newer name of `system`; compatible servers may know only the older one. */
const asSystem = (message: ChatMessage): ChatMessage =>
  message.role === 'developer' ? { ...message, role: 'system' } : message;
