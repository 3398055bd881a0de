/** What of a chat completion and its chunks reaches a caller (OpenAI API reference, The chat completion object). */
import type { Identity } from '../core/inference/upstream/provider.ts';
import type { JsonObject } from '../core/json/lossless-json.ts';
import {
  account,
  count,
  type Field,
  fields,
  figure,
  figures,
  kept,
  list,
  listOf,
  object,
  objectWith,
  oneOf,
  plainName,
  text,
  textOrList,
} from './kept-fields.ts';

/** Some compatible servers send the object itself. */
const jsonText: Field = (value) => (typeof value === 'string' ? value : JSON.stringify(object(value)));

const called = fields({ name: text, arguments: jsonText });

const toolCall = fields({
  index: count,
  id: text,
  type: plainName,
  function: objectWith(called),
  custom: objectWith(fields({ name: text, input: text })),
  // What a model that thinks between its calls wants back with them (Google, OpenAI compatibility, thought signatures).
  extra_content: object,
});

/** All of it is output: text, calls and reasoning, under the names that servers have for them. */
const message = fields({
  role: () => 'assistant',
  content: textOrList,
  refusal: text,
  tool_calls: listOf(objectWith(toolCall)),
  function_call: objectWith(called),
  reasoning: text,
  reasoning_content: text,
  reasoning_details: list,
  annotations: list,
  citations: list,
  images: list,
  audio: object,
});

const choiceFields = {
  index: count,
  finish_reason: plainName,
  native_finish_reason: plainName,
  // The stop sequence that was met, or its token, as vLLM gives it.
  stop_reason: (value: unknown) => (typeof value === 'string' ? value : figure(value)),
  logprobs: object,
};
const wholeChoice = fields({ ...choiceFields, message: objectWith(message) });
const chunkChoice = fields({ ...choiceFields, delta: objectWith(message) });

/** `service_tier` is one of those that a caller may choose; `citations` and `search_results` are a searching model's sources. */
const answerFields = {
  created: (value: unknown) => count(typeof value === 'number' ? Math.trunc(value) : value),
  service_tier: oneOf('auto', 'default', 'flex', 'priority', 'fast', 'scale', 'performance'),
  citations: list,
  search_results: list,
};
const completion = fields({ ...answerFields, choices: listOf(toWholeChoice) });
const chunk = fields({ ...answerFields, choices: listOf(toChunkChoice) });

function toWholeChoice(value: unknown): JsonObject {
  const { index, finish_reason: reason, message: said, ...rest } = kept(value, wholeChoice);
  const answer = { role: 'assistant', content: null, ...(said as JsonObject | null) };
  return { index: index ?? 0, message: answer, ...rest, finish_reason: reason ?? null };
}

function toChunkChoice(value: unknown): JsonObject {
  const { index, finish_reason: reason, delta, ...rest } = kept(value, chunkChoice);
  return { index: index ?? 0, delta: delta ?? {}, ...rest, finish_reason: reason ?? null };
}

/** A whole answer under our own names, without its usage. Throws `UpstreamFailure` for a field of a wrong type. */
export const toCompletion = (body: unknown, { id, model }: Identity): JsonObject => ({
  id,
  object: 'chat.completion',
  model,
  ...kept(body, completion),
});

/** One event of a stream under our own names, without its usage. Throws `UpstreamFailure` as `toCompletion` does. */
export const toChunk = (body: unknown, { id, model }: Identity): JsonObject => ({
  id,
  object: 'chat.completion.chunk',
  model,
  ...kept(body, chunk),
});

/** The figures of an account, and nothing that is no count of tokens. */
export const keptUsage = account(
  fields({
    prompt_tokens: figure,
    completion_tokens: figure,
    total_tokens: figure,
    prompt_tokens_details: figures(
      ...['cached_tokens', 'cache_write_tokens', 'cache_creation_tokens'],
      ...['audio_tokens', 'image_tokens', 'text_tokens', 'video_tokens'],
    ),
    completion_tokens_details: figures(
      ...['reasoning_tokens', 'accepted_prediction_tokens', 'rejected_prediction_tokens'],
      ...['audio_tokens', 'image_tokens', 'text_tokens', 'video_tokens'],
    ),
  }),
);
