/** A chat request as routes get it. */

import { builtOnce, readPayload } from '../../core/completions/forwarded-fields.ts';
import { DEFAULT_MAX_TOKENS } from '../../core/completions/output-default.ts';
import { forwardedFields } from '../../core/routing/route-controls.ts';
import type { ChatPayload } from '../../core/upstream/provider.ts';
import type { SealedTokens } from '../../core/upstream/sealed-tokens.ts';
import { completeMessages } from './complete-messages.ts';
import { toConversation } from './conversation.ts';
import { CHAT_FIELDS } from './fields.ts';
import { type ChatMessage, type ChatRequest, DEFAULT_TEMPERATURE, thoughtSignatureOf } from './request.ts';

/**
 * The request with defaults filled in, without nulls and without the fields that only the service uses. Throws 400
 * `invalid_value` for an image or a file on a private network, `invalid_capsule` for a signature that was changed, and
 * `missing_field` for the result of an unknown tool call.
 */
export function toPayload(request: ChatRequest, sealedTokens: SealedTokens): ChatPayload {
  openAll(request, sealedTokens);
  const body = forwardedFields(request);
  body.messages = completeMessages(request.messages).map(asSystem);
  body.temperature ??= DEFAULT_TEMPERATURE;
  // Both names set the same limit. Servers reject a request that uses both.
  if (body.max_completion_tokens === undefined) body.max_tokens ??= DEFAULT_MAX_TOKENS;
  else delete body.max_tokens;
  return {
    protocol: 'openai',
    ...readPayload(CHAT_FIELDS, body, 'messages'),
    conversation: builtOnce(() => toConversation(request)),
    stream: request.stream === true,
  };
}

/** Opens every signature that is sent back. An invalid one is rejected before a hold is placed. */
function openAll({ messages }: ChatRequest, sealedTokens: SealedTokens): void {
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const { reasoning_details: details, tool_calls: calls } = message;
    for (const [at, { signature, data }] of (details ?? []).entries()) {
      for (const [field, text] of Object.entries({ signature, data }))
        if (text != null)
          sealedTokens.open('signature', text, `messages[${index}].reasoning_details[${at}].${field}`);
    }
    for (const [at, call] of (calls ?? []).entries()) {
      const signature = thoughtSignatureOf(call);
      if (signature !== undefined)
        sealedTokens.open('signature', signature, `messages[${index}].tool_calls[${at}].extra_content`);
    }
  }
}

/** Replaces `developer`, OpenAI's newer name of `system`. Compatible servers may support only the older one. */
const asSystem = (message: ChatMessage): ChatMessage =>
  message.role === 'developer' ? { ...message, role: 'system' } : message;
