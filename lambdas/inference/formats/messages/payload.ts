/** A Messages request as routes get it. */
import { ServiceError } from '../../../platform/core/errors.ts';
import { beta } from '../../core/catalog/betas.ts';
import type { CallerHeaders } from '../../core/completions/api-format.ts';
import { readPayload } from '../../core/completions/forwarded-fields.ts';
import { forwardedFields } from '../../core/routing/route-controls.ts';
import type { Capsules } from '../../core/upstream/capsules.ts';
import type { Conversation } from '../../core/upstream/conversation.ts';
import type { ChatPayload, ProtocolHeaders } from '../../core/upstream/provider.ts';
import { toConversation } from './conversation.ts';
import { MESSAGES_FIELDS } from './fields.ts';
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

/** More than any client sends: Claude Code sends about ten. */
const MAX_BETAS = 50;

const VERSION = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The version, if it is one, and the flags, each once. Throws 400 `invalid_value` for what can be no flag, and for too
 * many of them.
 */
export function protocolHeadersOf(headers: Pick<Headers, 'get'>): ProtocolHeaders {
  const version = headers.get('anthropic-version')?.trim() ?? '';
  const flags = (headers.get(FIELD) ?? '')
    .split(',')
    .map((flag) => flag.trim())
    .filter((flag) => flag !== '');
  if (flags.length > MAX_BETAS) throw invalid(`${FIELD}: must be at most ${MAX_BETAS} flags.`);
  if (flags.some((flag) => !beta.safeParse(flag).success))
    throw invalid(`${FIELD}: must be names of betas, separated by commas.`);
  return { ...(VERSION.test(version) ? { version } : {}), betas: [...new Set(flags)] };
}

const FIELD = 'anthropic-beta';

const invalid = (message: string) => new ServiceError('invalid_value', message, { param: FIELD });
