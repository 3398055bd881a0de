/** The answer as one JSON document (OpenAI API reference, "The chat completion object"). */
import type { FinishReason, ModelAnswer, ModelUsage } from '../model/model-answer.ts';
import type { ModelToolCall } from '../model/model-request.ts';

/** What every document and chunk of one answer repeats. */
export interface CompletionIdentity {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
}

const FINISH_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  refusal: 'stop',
};

export const finishReasonOf = (reason: FinishReason): string => FINISH_REASONS[reason];

export const usageOf = ({ promptTokens, cachedTokens, completionTokens, thinkingTokens }: ModelUsage) => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
  prompt_tokens_details: { cached_tokens: cachedTokens, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: thinkingTokens,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
});

/** Fields whose value is the same in every answer of this server. */
export const SERVER_FIELDS = { service_tier: 'default', system_fingerprint: 'fp_simulated1' } as const;

export const toolCallId = (call: ModelToolCall): string => `call_${call.id}`;

const toolCallOf = (call: ModelToolCall) => ({
  id: toolCallId(call),
  type: 'function',
  function: { name: call.name, arguments: call.arguments },
});

/** `withUsage` false leaves `usage` out, as some compatible servers do. */
export function chatCompletion(answer: ModelAnswer, identity: CompletionIdentity, withUsage: boolean) {
  return {
    ...identity,
    object: 'chat.completion',
    choices: answer.choices.map((choice, index) => ({
      index,
      message: {
        role: 'assistant',
        content: choice.finishReason === 'refusal' ? null : (choice.text ?? null),
        refusal: choice.finishReason === 'refusal' ? (choice.text ?? null) : null,
        annotations: [],
        ...(choice.toolCalls.length > 0 ? { tool_calls: choice.toolCalls.map(toolCallOf) } : {}),
      },
      logprobs: null,
      finish_reason: finishReasonOf(choice.finishReason),
    })),
    ...(withUsage ? { usage: usageOf(answer.usage) } : {}),
    ...SERVER_FIELDS,
  };
}
