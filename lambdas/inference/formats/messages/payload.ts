/** A Messages request as routes get it. */
import { ServiceError } from '../../../platform/core/errors.ts';
import { beta } from '../../core/catalog/betas.ts';
import type { CallerHeaders } from '../../core/completions/api-format.ts';
import { builtOnce, readPayload } from '../../core/completions/forwarded-fields.ts';
import { forwardedFields } from '../../core/routing/route-controls.ts';
import type { ChatPayload, ProtocolHeaders } from '../../core/upstream/provider.ts';
import type { SealedTokens } from '../../core/upstream/sealed-tokens.ts';
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
 * Returns the request with defaults, without nulls, and without the fields that only the service uses. Throws 400:
 * - `invalid_value` for a request that continues an earlier response, or contains the address of an image on a private
 * network.
 * - `invalid_capsule` for a signature that was changed.
 */
export function toPayload(
  callerRequest: MessagesRequest,
  sealedTokens: SealedTokens,
  headers?: CallerHeaders,
): ChatPayload {
  const request = withCurrentNames(callerRequest);
  rejectThread(request);
  openAll(request, sealedTokens);
  return {
    protocol: 'anthropic',
    ...readPayload(MESSAGES_FIELDS, toBody(request), 'messages'),
    ...(headers === undefined ? {} : { headers: protocolHeadersOf(headers) }),
    conversation: builtOnce(() => toConversation(request)),
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

/** Opens every signature that is sent back. An invalid one is rejected before a hold is placed. */
function openAll({ messages }: MessagesRequest, sealedTokens: SealedTokens): void {
  for (const [index, { content }] of messages.entries()) {
    for (const [at, block] of toBlocks(content).entries()) {
      const path = `messages[${index}].content[${at}]`;
      if (isBlock(block, 'thinking'))
        sealedTokens.open('signature', block.signature ?? '', `${path}.signature`);
      if (isBlock(block, 'redacted_thinking')) sealedTokens.open('signature', block.data, `${path}.data`);
    }
  }
}

/**
 * Rejects a request that continues an earlier response, because responses are not stored. The error details make the
 * SDK's tool runner send the complete conversation instead (Claude API reference, Errors,
 * `thread_unsupported_request`).
 */
function rejectThread({ thread }: MessagesRequest): void {
  if (thread == null) return;
  throw new ServiceError(
    'invalid_value',
    'thread: this service stores no responses; send the whole conversation.',
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
  // Claude rejects a temperature next to `top_p`, and any temperature except 1 with thinking. A caller who sets `top_p`
  // or thinking sets no temperature.
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
