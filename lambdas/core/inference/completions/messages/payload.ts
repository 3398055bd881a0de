/** A Messages request as routes get it. */
import { ServiceError } from '../../../errors.ts';
import { forwardedFields } from '../../routing/route-controls.ts';
import type { Capsules } from '../../upstream/capsules.ts';
import type { Conversation } from '../../upstream/conversation.ts';
import type { ChatPayload } from '../../upstream/provider.ts';
import type { CallerHeaders } from '../api-format.ts';
import { readPayload } from '../forwarded-fields.ts';
import { toConversation } from './conversation.ts';
import { MESSAGES_FIELDS } from './fields.ts';
import { protocolHeadersOf } from './protocol-headers.ts';
import {
  DEFAULT_TEMPERATURE,
  isBlock,
  type MessagesRequest,
  maxTokensOf,
  toBlocks,
  topPOf,
} from './request.ts';

/**
 * The request with defaults filled in, without nulls and without the fields that only the service uses. Throws 400
 * `invalid_value` for a request that goes on from an earlier answer, or names an image on a private network, and
 * `invalid_capsule` for a signature that was changed.
 */
export function toPayload(given: MessagesRequest, capsules: Capsules, headers?: CallerHeaders): ChatPayload {
  const request = withCurrentNames(given);
  refuseThread(request);
  openAll(request, capsules);
  let conversation: Conversation | undefined;
  return {
    protocol: 'anthropic',
    ...readPayload(MESSAGES_FIELDS, toBody(request)),
    ...(headers === undefined ? {} : { headers: protocolHeadersOf(headers) }),
    conversation: () => {
      conversation ??= toConversation(request);
      return conversation;
    },
    stream: request.stream === true,
  };
}

/** `output_format` is what `output_config.format` was as a beta (Claude docs, Structured outputs). */
function withCurrentNames({ output_format: format, ...request }: MessagesRequest): MessagesRequest {
  if (format == null) return request;
  return {
    ...request,
    output_config: { ...request.output_config, format: request.output_config?.format ?? format },
  };
}

/** Looks at every signature that is sent back: those that are not whole are refused before anything is held. */
function openAll({ messages }: MessagesRequest, capsules: Capsules): void {
  for (const [index, { content }] of messages.entries()) {
    for (const [at, block] of toBlocks(content).entries()) {
      const path = `messages[${index}].content[${at}]`;
      if (isBlock(block, 'thinking')) capsules.open('signature', block.signature ?? '', `${path}.signature`);
      if (isBlock(block, 'redacted_thinking')) capsules.open('signature', block.data, `${path}.data`);
    }
  }
}

/**
 * Answers are not kept, so none can be gone on from. The details make the SDK's tool runner send the whole
 * conversation instead (Claude API reference, Errors, `thread_unsupported_request`).
 */
function refuseThread({ thread }: MessagesRequest): void {
  if (thread == null) return;
  throw new ServiceError(
    'invalid_value',
    'thread: this service keeps no answers; send the whole conversation.',
    {
      param: 'thread',
      details: { error_code: 'thread_unsupported_request' },
    },
  );
}

function toBody(request: MessagesRequest): Record<string, unknown> {
  const body = forwardedFields(request);
  body.max_tokens = maxTokensOf(request);
  if (topPOf(request) === undefined) delete body.top_p;
  // Claude refuses a temperature beside `top_p`, and any but 1 beside thinking; a caller of either set none itself.
  if (body.top_p === undefined && !thinks(request)) body.temperature ??= DEFAULT_TEMPERATURE;
  return body;
}

const thinks = ({ thinking }: MessagesRequest): boolean => thinking != null && thinking.type !== 'disabled';
