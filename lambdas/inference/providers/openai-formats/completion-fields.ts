/**
 * The fields of a chat completion and its chunks that reach a caller (OpenAI API reference, The chat completion
 * object).
 */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Signatures } from '../../core/upstream/capsules.ts';
import type { AnswerIdentity } from '../../core/upstream/provider.ts';
import { objectOf } from '../http-upstream.ts';
import {
  account,
  count,
  type Field,
  type Fields,
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
} from '../kept-fields.ts';
import { sealProof } from './proofs.ts';

/** Some compatible servers send the object itself. */
const jsonText: Field = (value) => (typeof value === 'string' ? value : JSON.stringify(object(value)));

const called = fields({ name: text, arguments: jsonText });

/** All of a message is output: text, calls and reasoning, under the names that servers have for them. */
const messageFields = {
  role: () => 'assistant',
  content: textOrList,
  refusal: text,
  function_call: objectWith(called),
  reasoning: text,
  reasoning_content: text,
  annotations: list,
  citations: list,
  images: list,
  audio: object,
};

const choiceFields = {
  index: count,
  finish_reason: plainName,
  native_finish_reason: plainName,
  // The stop sequence that was met, or its token, as vLLM gives it.
  stop_reason: (value: unknown) => (typeof value === 'string' ? value : figure(value)),
  logprobs: object,
};

/** `service_tier` is one of those that a caller may choose; `citations` and `search_results` are a searching model's sources. */
const answerFields = {
  created: (value: unknown) => count(typeof value === 'number' ? Math.trunc(value) : value),
  service_tier: oneOf('auto', 'default', 'flex', 'priority', 'fast', 'scale', 'performance'),
  citations: list,
  search_results: list,
};

/** The answer of one call under our own names, without its usage. Throws `UpstreamFailure` for a field of a wrong type. */
export class CompletionFields {
  readonly #identity: AnswerIdentity;
  readonly #completion: Fields;
  readonly #chunk: Fields;

  /** Selects the fields of a response. Signatures of reasoning reach the caller sealed. */
  constructor(identity: AnswerIdentity, signatures: Signatures) {
    this.#identity = identity;
    const message = objectWith(messageWith(signatures));
    const whole = fields({ ...choiceFields, message });
    const streamed = fields({ ...choiceFields, delta: message });
    this.#completion = fields({ ...answerFields, choices: listOf((value) => toWholeChoice(value, whole)) });
    this.#chunk = fields({ ...answerFields, choices: listOf((value) => toChunkChoice(value, streamed)) });
  }

  whole(body: unknown): JsonObject {
    const { id, model } = this.#identity;
    return { id, object: 'chat.completion', model, ...dated(kept(body, this.#completion)) };
  }

  /** One event of a stream. */
  chunk(body: unknown): JsonObject {
    const { id, model } = this.#identity;
    return { id, object: 'chat.completion.chunk', model, ...dated(kept(body, this.#chunk)) };
  }
}

/** Without `created` where it is null, so that the call's own time stands there. */
const dated = ({ created, ...rest }: Record<string, unknown>): JsonObject =>
  created == null ? rest : { created, ...rest };

function toWholeChoice(value: unknown, named: Fields): JsonObject {
  const { index, finish_reason: reason, message: said, ...rest } = kept(value, named);
  const answer = { role: 'assistant', content: null, ...(said as JsonObject | null) };
  return { index: index ?? 0, message: answer, ...rest, finish_reason: reason ?? null };
}

function toChunkChoice(value: unknown, named: Fields): JsonObject {
  const { index, finish_reason: reason, delta, ...rest } = kept(value, named);
  return { index: index ?? 0, delta: delta ?? {}, ...rest, finish_reason: reason ?? null };
}

/** A piece of reasoning (OpenRouter docs, Reasoning tokens, `reasoning_details`). */
const detailFields = fields({
  type: oneOf('reasoning.text', 'reasoning.summary', 'reasoning.encrypted'),
  text,
  summary: text,
  index: count,
});

/** Its proof is sealed with the names that the server wants back beside it. */
function toDetail(value: unknown, signatures: Signatures): JsonObject {
  const { signature, data, id, format } = objectOf(value);
  const sealed = (proof: unknown) => sealProof(signatures, { detail: text(proof), id, format });
  return {
    ...kept(value, detailFields),
    ...(signature == null ? {} : { signature: sealed(signature) }),
    ...(data == null ? {} : { data: sealed(data) }),
  };
}

function messageWith(signatures: Signatures): Fields {
  const sealed: Field = (value) => sealProof(signatures, { thought_signature: text(value) });
  // Google, OpenAI compatibility, Thought signatures.
  const google = fields({ thought_signature: sealed });
  const toolCall = fields({
    index: count,
    id: text,
    type: plainName,
    function: objectWith(called),
    custom: objectWith(fields({ name: text, input: text })),
    extra_content: objectWith(fields({ google: objectWith(google) })),
  });
  return fields({
    ...messageFields,
    tool_calls: listOf(objectWith(toolCall)),
    reasoning_details: listOf((value) => toDetail(value, signatures)),
  });
}

/** The figures of an account, and nothing that is no count of tokens. */
export const keptUsage = account(
  fields({
    prompt_tokens: figure,
    completion_tokens: figure,
    total_tokens: figure,
    prompt_tokens_details: figures(
      'cached_tokens',
      'cache_write_tokens',
      'cache_creation_tokens',
      'audio_tokens',
      'image_tokens',
      'text_tokens',
      'video_tokens',
    ),
    completion_tokens_details: figures(
      'reasoning_tokens',
      'accepted_prediction_tokens',
      'rejected_prediction_tokens',
      'audio_tokens',
      'image_tokens',
      'text_tokens',
      'video_tokens',
    ),
  }),
);
