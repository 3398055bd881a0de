/** The answer as one JSON document (Amazon Bedrock API reference, "Converse", "Response Syntax"). */
import type { ModelChoice, ModelUsage } from '../model/model-answer.ts';
import type { ModelToolCall } from '../model/model-request.ts';
import { identifierFrom } from '../model/random.ts';
import { parsedObject } from './request.ts';

/** What is settled about an answer before its first word. */
export interface ConverseFrame {
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** Leaves `usage` out, as some compatible servers do. */
  readonly withUsage: boolean;
  /** Which fields of the model's own answer are asked for, as JSON pointers. */
  readonly fieldPaths: readonly string[];
}

const SIGNATURE_LENGTH = 43;

/** The signature under a thought, by which the model knows it again. */
export const signatureOf = (thinking: string): string =>
  `Er${identifierFrom(`signature of ${thinking}`, SIGNATURE_LENGTH)}==`;

export const toolUseId = (call: ModelToolCall): string => `tooluse_${call.id}`;

/** The content blocks of an answer, in order. Arguments that were cut are no document, and become an empty one. */
function contentOf({ thinking, text = '', toolCalls }: ModelChoice) {
  const thought = { text: thinking, signature: signatureOf(thinking ?? '') };
  return [
    ...(thinking === undefined ? [] : [{ reasoningContent: { reasoningText: thought } }]),
    ...(text === '' ? [] : [{ text }]),
    ...toolCalls.map((call) => ({
      toolUse: { toolUseId: toolUseId(call), name: call.name, input: parsedObject(call.arguments) ?? {} },
    })),
  ];
}

/** `inputTokens` leaves out what the cache gave or took; the total has it. */
export const usageOf = (usage: ModelUsage) => ({
  inputTokens: usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens,
  outputTokens: usage.completionTokens,
  totalTokens: usage.promptTokens + usage.completionTokens,
  cacheReadInputTokens: usage.cachedTokens,
  cacheWriteInputTokens: usage.cacheWriteTokens,
});

const STOP_REASONS = {
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  refusal: 'content_filtered',
} as const;

/** Why the answer ended; which stop sequence did it is told only to those who ask for the model's own field. */
export function endingOf({ finishReason, stopSequence }: ModelChoice, { fieldPaths }: ConverseFrame) {
  const natural = stopSequence === undefined ? 'end_turn' : 'stop_sequence';
  const fields = { stop_sequence: stopSequence ?? null };
  return {
    stopReason: finishReason === 'stop' ? natural : STOP_REASONS[finishReason],
    ...(fieldPaths.includes('/stop_sequence') ? { additionalModelResponseFields: fields } : {}),
  };
}

/** What the answer cost and how long it took until now. */
export const accountOf = (usage: ModelUsage, { startedAtMs, withUsage }: ConverseFrame) => ({
  ...(withUsage ? { usage: usageOf(usage) } : {}),
  metrics: { latencyMs: Date.now() - startedAtMs },
});

export const converseDocument = (choice: ModelChoice, usage: ModelUsage, frame: ConverseFrame) => ({
  output: { message: { role: 'assistant', content: contentOf(choice) } },
  ...endingOf(choice, frame),
  ...accountOf(usage, frame),
});
