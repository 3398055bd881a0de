/** A response in the Messages format: a complete message, or the events of a stream. */

import * as z from 'zod';
import type { Body } from '../../../platform/core/api/response-schema.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { ResponseWriter, WriterOptions } from '../../core/completions/response-writer.ts';
import { type TokenUsage, writtenTokens } from '../../core/pricing/token-usage.ts';
import {
  type AssistantOutput,
  type AssistantPart,
  type Finish,
  MESSAGES_STOP_REASONS,
  type ReasoningPart,
  type StreamPart,
} from '../../core/upstream/conversation.ts';
import type { CompleteResponse } from '../../core/upstream/provider.ts';
import { toolInput } from '../../core/upstream/tool-calls.ts';
import { RouteToolNames } from '../../core/upstream/tool-names.ts';
import { MessagesEventWriter } from './event-writer.ts';

/** The fields that say why a message ended. */
const stopBody = ({ reason, stopSequence }: Finish): JsonObject => ({
  stop_reason: MESSAGES_STOP_REASONS[reason],
  stop_sequence: stopSequence ?? null,
});

export const usageSchema = z.looseObject({
  input_tokens: z.int(),
  cache_creation_input_tokens: z.int(),
  cache_read_input_tokens: z.int(),
  output_tokens: z.int(),
});

/**
 * Usage in the protocol's format, where `input_tokens` leaves out what was read from and written to the prompt cache;
 * with what else the route reported, and what it counted in another protocol.
 */
export function usageBody({
  promptTokens,
  cachedTokens,
  completionTokens,
  cacheWrites,
  reasoningTokens,
  reported,
}: TokenUsage): Body<typeof usageSchema> {
  const creation = reported?.cache_creation_input_tokens;
  const written = writtenTokens(cacheWrites) ?? (typeof creation === 'number' ? creation : 0);
  return {
    ...(reasoningTokens === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoningTokens } }),
    ...reported,
    ...splitBody(cacheWrites),
    input_tokens: Math.max(0, promptTokens - cachedTokens - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cachedTokens,
    output_tokens: completionTokens,
  };
}

/** Returns the tokens written to the cache, split by their lifetime, if the route reports it. */
const splitBody = (writes: TokenUsage['cacheWrites']): JsonObject =>
  writes?.['5m'] === undefined && writes?.['1h'] === undefined
    ? {}
    : {
        cache_creation: {
          ephemeral_5m_input_tokens: writes['5m'] ?? 0,
          ephemeral_1h_input_tokens: writes['1h'] ?? 0,
        },
      };

/** `names`: of the tools on the route. */
export function messagesWriter(
  { identity, promptTokens }: WriterOptions,
  names = new RouteToolNames([]),
): ResponseWriter {
  const { id, model } = identity;
  const message = { id, type: 'message', role: 'assistant', model };
  const events = new MessagesEventWriter({
    opening: () => ({
      ...message,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usageBody({ promptTokens: promptTokens(), cachedTokens: 0, completionTokens: 0 }),
    }),
    ending: stopBody,
  });
  return {
    body: (response, usage) => JSON.stringify({ ...messageBody(response), usage: usageBody(usage) }),
    events: (part) => events.write(withCallerName(part, names)),
  };

  function messageBody(response: CompleteResponse): JsonObject {
    return 'body' in response ? response.body : { ...message, ...outputBody(response.output, names) };
  }
}

function withCallerName(part: StreamPart, names: RouteToolNames): StreamPart {
  if (part.type !== 'start' || part.content.type !== 'tool-call') return part;
  return { ...part, content: { ...part.content, name: names.callerNameOf(part.content.name) } };
}

const outputBody = ({ parts, finish }: AssistantOutput, names: RouteToolNames): JsonObject => ({
  content: parts.flatMap((part) => toBlock(part, names)),
  ...stopBody(finish),
});

/**
 * Returns the block of a reasoning part. Unreadable reasoning has a separate block type. Unsigned reasoning has an
 * empty signature.
 */
const thinkingBlock = ({ text, signature = '' }: ReasoningPart): JsonObject =>
  text === ''
    ? { type: 'redacted_thinking', data: signature }
    : { type: 'thinking', thinking: text, signature };

/** Returns the block of a part. An empty text is dropped, because the protocol rejects it in the next request. */
function toBlock(part: AssistantPart, names: RouteToolNames): JsonObject[] {
  if (part.type === 'reasoning') return [thinkingBlock(part)];
  if (part.type !== 'tool-call') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  const { id, name, arguments: text } = part;
  return [{ type: 'tool_use', id, name: names.callerNameOf(name), input: toolInput(text) }];
}
