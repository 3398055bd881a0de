/** The answer, whole or streamed (OpenAI API reference, "The chat completion object" and "The chat completion chunk object"). */
import type { Fault } from '../control/fault.ts';
import { type SimulatedEvent, usageField } from '../exchange/reply.ts';
import type { ModelChoice, ModelOutput, ModelToolCall, ModelUsage, SimulatedFinish } from '../model/model.ts';
import { splitIntoTokens } from '../model/tokens.ts';
import { callSignature, hostOf } from './reasoning.ts';

/** The fields that every document and chunk of one response repeat. */
export interface CompletionIdentity {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly service_tier: string;
}

const FINISH_REASONS: Readonly<Record<SimulatedFinish, string>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  refusal: 'stop',
};

const usageOf = (usage: ModelUsage, fault: Fault) =>
  usageField(
    'usage',
    {
      prompt_tokens: usage.promptTokens,
      completion_tokens: usage.completionTokens,
      total_tokens: usage.promptTokens + usage.completionTokens,
      prompt_tokens_details: { cached_tokens: usage.cachedTokens, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: usage.thinkingTokens,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
    fault,
  );

/** Fields whose value is the same in every answer of this server. */
const SERVER_FIELDS = { system_fingerprint: 'fp_simulated1' } as const;

/** A call; of those of one step, Gemini signs the first. */
const toolCallOf = (call: ModelToolCall, index: number, model: string, text = call.arguments) => ({
  id: `call_${call.id}`,
  type: 'function',
  function: { name: call.name, arguments: text },
  ...(index === 0 && hostOf(model) === 'gemini'
    ? { extra_content: { google: { thought_signature: callSignature(model, call) } } }
    : {}),
});

/** The reasoning, where the model's host shows it. */
const shownThought = ({ thinking }: ModelChoice, { model }: CompletionIdentity): string | undefined =>
  hostOf(model) === 'deepseek' ? thinking : undefined;

function messageOf(choice: ModelChoice, identity: CompletionIdentity) {
  const { text = null, toolCalls, finishReason } = choice;
  const calls = toolCalls.map((call, index) => toolCallOf(call, index, identity.model));
  return {
    role: 'assistant',
    content: finishReason === 'refusal' ? null : text,
    reasoning_content: shownThought(choice, identity),
    refusal: finishReason === 'refusal' ? text : null,
    annotations: [],
    tool_calls: calls.length > 0 ? calls : undefined,
  };
}

export const chatCompletion = (output: ModelOutput, identity: CompletionIdentity, fault: Fault) => ({
  ...identity,
  object: 'chat.completion',
  choices: output.choices.map((choice, index) => ({
    index,
    message: messageOf(choice, identity),
    logprobs: null,
    finish_reason: FINISH_REASONS[choice.finishReason],
  })),
  ...usageOf(output.usage, fault),
  ...SERVER_FIELDS,
});

type Delta = Readonly<Record<string, unknown>>;

function* choiceDeltas(choice: ModelChoice, identity: CompletionIdentity): Generator<Delta> {
  const { text = '', toolCalls, finishReason } = choice;
  for (const fragment of splitIntoTokens(shownThought(choice, identity) ?? ''))
    yield { reasoning_content: fragment };
  for (const [index, call] of toolCalls.entries()) {
    yield { tool_calls: [{ index, ...toolCallOf(call, index, identity.model, '') }] };
    for (const fragment of splitIntoTokens(call.arguments))
      yield { tool_calls: [{ index, function: { arguments: fragment } }] };
  }
  const field = finishReason === 'refusal' ? 'refusal' : 'content';
  for (const fragment of splitIntoTokens(text)) yield { [field]: fragment };
}

/** Takes one item of each iterable in turn until all have ended. */
function* interleave<T>(iterables: readonly Iterable<T>[]): Generator<T> {
  let iterators = iterables.map((iterable) => iterable[Symbol.iterator]());
  while (iterators.length > 0) {
    const results = iterators.map((iterator) => ({ iterator, result: iterator.next() }));
    for (const { result } of results) if (result.done !== true) yield result.value;
    iterators = results.filter(({ result }) => result.done !== true).map(({ iterator }) => iterator);
  }
}

/**
 * All events of the stream: roles, deltas of all choices in turns, finish reasons, and `[DONE]`. With usage, there is
 * `usage: null` in every chunk and a last one with the figures (`stream_options.include_usage`).
 */
export function* chatChunks(
  { choices, usage }: ModelOutput,
  identity: CompletionIdentity,
  fault: Fault,
): Generator<SimulatedEvent> {
  const document = { ...identity, object: 'chat.completion.chunk', ...SERVER_FIELDS };
  const unused = fault.no_usage === true ? {} : { usage: null };
  const chunk = (part: SimulatedEvent['part'], index: number, delta: Delta, finish: string | null = null) => {
    const choice = { index, delta, logprobs: null, finish_reason: finish };
    return { part, data: JSON.stringify({ ...document, choices: [choice], ...unused }) };
  };
  for (const [index, { text }] of choices.entries()) {
    const content = text === undefined ? null : '';
    yield chunk('start', index, { role: 'assistant', content, refusal: null });
  }
  yield* interleave(
    choices.map((choice, index) =>
      choiceDeltas(choice, identity).map((delta) => chunk('content', index, delta)),
    ),
  );
  for (const [index, { finishReason }] of choices.entries())
    yield chunk('end', index, {}, FINISH_REASONS[finishReason]);
  if (fault.no_usage !== true)
    yield { part: 'end', data: JSON.stringify({ ...document, choices: [], ...usageOf(usage, fault) }) };
  yield { part: 'end', data: '[DONE]' };
}
