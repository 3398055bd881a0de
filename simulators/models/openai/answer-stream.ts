/** The answer as a stream of chunks (OpenAI API reference, "The chat completion chunk object"). */
import { inTurns } from '../exchange/in-turns.ts';
import type { StreamEvent } from '../exchange/reply.ts';
import type { ModelAnswer, ModelChoice } from '../model/model-answer.ts';
import type { ModelToolCall } from '../model/model-request.ts';
import { tokenPieces } from '../model/tokens.ts';
import {
  type CompletionIdentity,
  finishReasonOf,
  SERVER_FIELDS,
  toolCallId,
  usageOf,
} from './answer-document.ts';

export interface ChunkSettings {
  /** Adds `usage: null` to every chunk and a last one with the figures (`stream_options.include_usage`). */
  readonly includeUsage: boolean;
  /** Streams parallel tool calls in turns instead of one after the other. */
  readonly interleaveToolCalls: boolean;
}

/** The `delta` of a chunk. */
type Delta = Readonly<Record<string, unknown>>;

function* toolCallDeltas(call: ModelToolCall, index: number): Generator<Delta> {
  const opening = {
    index,
    id: toolCallId(call),
    type: 'function',
    function: { name: call.name, arguments: '' },
  };
  yield { tool_calls: [opening] };
  for (const piece of tokenPieces(call.arguments))
    yield { tool_calls: [{ index, function: { arguments: piece } }] };
}

function* choiceDeltas(choice: ModelChoice, interleave: boolean): Generator<Delta> {
  const calls = choice.toolCalls.map(toolCallDeltas);
  if (interleave) yield* inTurns(calls);
  else for (const call of calls) yield* call;
  for (const piece of tokenPieces(choice.text ?? ''))
    yield choice.finishReason === 'refusal' ? { refusal: piece } : { content: piece };
}

/** All events of the stream: roles, deltas of all choices in turns, finish reasons, usage, and `[DONE]`. */
export function* chatChunks(
  answer: ModelAnswer,
  identity: CompletionIdentity,
  settings: ChunkSettings,
): Generator<StreamEvent> {
  const frame = { ...identity, object: 'chat.completion.chunk', ...SERVER_FIELDS };
  const usage = settings.includeUsage ? { usage: null } : {};
  const chunk = (
    part: StreamEvent['part'],
    index: number,
    delta: Delta,
    finish: string | null,
  ): StreamEvent => {
    const choices = [{ index, delta, logprobs: null, finish_reason: finish }];
    return { part, data: JSON.stringify({ ...frame, choices, ...usage }) };
  };
  for (const [index, choice] of answer.choices.entries()) {
    const content = choice.text === undefined ? null : '';
    yield chunk('start', index, { role: 'assistant', content, refusal: null }, null);
  }
  const contents = answer.choices.map((choice, index) =>
    choiceDeltas(choice, settings.interleaveToolCalls).map((delta) => chunk('content', index, delta, null)),
  );
  yield* inTurns(contents);
  for (const [index, choice] of answer.choices.entries()) {
    yield chunk('end', index, {}, finishReasonOf(choice.finishReason));
  }
  if (settings.includeUsage) {
    yield { part: 'end', data: JSON.stringify({ ...frame, choices: [], usage: usageOf(answer.usage) }) };
  }
  yield { part: 'end', data: '[DONE]' };
}
