/** The answer as one JSON document (Claude API reference, "Message"). */
import type { ModelChoice, ModelUsage } from '../model/model-answer.ts';
import type { ModelToolCall } from '../model/model-request.ts';
import { identifierFrom } from '../model/random.ts';

/** What is settled about an answer before its first word. */
export interface MessageFrame {
  readonly id: string;
  readonly model: string;
  /** Leaves `usage` out, as some compatible servers do. */
  readonly withUsage: boolean;
  /** Keeps the text of thoughts back (`thinking.display: 'omitted'`). */
  readonly hidesThought: boolean;
}

const SIGNATURE_LENGTH = 43;

/** The signature under a thought, by which the API knows it again. */
export const signatureOf = (thinking: string): string =>
  `Eq${identifierFrom(`signature of ${thinking}`, SIGNATURE_LENGTH)}==`;

export const toolUseId = (call: ModelToolCall): string => `toolu_${call.id}`;

function inputOf({ arguments: text }: ModelToolCall): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Arguments cut by `max_tokens` are no document.
    return {};
  }
}

/** The content blocks of an answer, in order; an answer without words has no text block. */
export function contentOf(choice: ModelChoice, { hidesThought }: MessageFrame) {
  const { thinking, text = '', toolCalls } = choice;
  return [
    ...(thinking === undefined
      ? []
      : [
          {
            type: 'thinking' as const,
            thinking: hidesThought ? '' : thinking,
            signature: signatureOf(thinking),
          },
        ]),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...toolCalls.map((call) => ({
      type: 'tool_use' as const,
      id: toolUseId(call),
      name: call.name,
      input: inputOf(call),
      caller: { type: 'direct' },
    })),
  ];
}

/** `input_tokens` leaves out what the cache gave or took. */
export const usageOf = (usage: ModelUsage, outputTokens: number) => ({
  input_tokens: usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens,
  cache_creation_input_tokens: usage.cacheWriteTokens,
  cache_read_input_tokens: usage.cachedTokens,
  output_tokens: outputTokens,
  ...(usage.thinkingTokens === 0 ? {} : { output_tokens_details: { thinking_tokens: usage.thinkingTokens } }),
});

export const fullUsageOf = (usage: ModelUsage, outputTokens: number) => ({
  ...usageOf(usage, outputTokens),
  cache_creation: { ephemeral_5m_input_tokens: usage.cacheWriteTokens, ephemeral_1h_input_tokens: 0 },
  service_tier: 'standard',
});

const STOP_REASONS = {
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  refusal: 'refusal',
} as const;

/** Why the answer ended: fields of the message, and of the `message_delta` event. */
export function endingOf({ finishReason, stopSequence }: ModelChoice) {
  const natural = stopSequence === undefined ? 'end_turn' : 'stop_sequence';
  return {
    stop_reason: finishReason === 'stop' ? natural : STOP_REASONS[finishReason],
    stop_sequence: stopSequence ?? null,
    stop_details: finishReason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null,
  };
}

/** The message with any of its fields in place. */
export const messageOf = (frame: MessageFrame, fields: Readonly<Record<string, unknown>>) => ({
  id: frame.id,
  type: 'message',
  role: 'assistant',
  model: frame.model,
  container: null,
  ...fields,
});

export function messageDocument(choice: ModelChoice, usage: ModelUsage, frame: MessageFrame) {
  return messageOf(frame, {
    content: contentOf(choice, frame),
    ...endingOf(choice),
    ...(frame.withUsage ? { usage: fullUsageOf(usage, usage.completionTokens) } : {}),
  });
}
