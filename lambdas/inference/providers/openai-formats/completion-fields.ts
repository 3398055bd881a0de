/**
 * Allow-list of the fields of a chat completion and its chunks that are returned to a caller (OpenAI API reference, The
 * chat completion object).
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { ResponseIdentity } from '../../core/upstream/provider.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import {
  account,
  type Field,
  type Fields,
  fields,
  imageData,
  list,
  listOf,
  looseCount,
  object,
  objectWith,
  oneOf,
  pickFields,
  plainName,
  text,
  usageCount,
  usageCounts,
} from '../allowed-fields.ts';
import { objectOf } from '../http-upstream.ts';
import { sealSignature } from './reasoning-signatures.ts';

const image = objectWith(
  fields({ type: plainName, index: looseCount, image_url: objectWith(fields({ url: imageData })) }),
);

/** Parts of other types have no address that is the vendor's. */
const contentPart: Field = (value) =>
  isJsonObject(value) && value.type === 'image_url' ? image(value) : value;

const textOrParts: Field = (value) => (typeof value === 'string' ? value : listOf(contentPart)(value));

const called = fields({ name: text, arguments: text });

/** All of a message is output: text, calls and reasoning, under the names that servers have for them. */
const messageFields = {
  role: () => 'assistant',
  content: textOrParts,
  refusal: text,
  function_call: objectWith(called),
  reasoning: text,
  reasoning_content: text,
  annotations: list,
  citations: list,
  /** OpenRouter docs, Image generation: `{type: "image_url", image_url: {url}}` with a data URL. */
  images: listOf(image),
  audio: object,
};

const choiceFields = {
  index: looseCount,
  finish_reason: plainName,
  native_finish_reason: plainName,
  // The stop sequence that was met, or its token, as vLLM gives it.
  stop_reason: (value: unknown) => (typeof value === 'string' ? value : usageCount(value)),
  logprobs: object,
};

/** `service_tier` is one of those that a caller may choose; `citations` and `search_results` are a searching model's sources. */
const responseFields = {
  created: looseCount,
  service_tier: oneOf('auto', 'default', 'flex', 'priority', 'fast', 'scale', 'performance'),
  citations: list,
  search_results: list,
};

/**
 * The response to one call with the service's names, without its usage. Throws `UpstreamFailure` for a field of a wrong
 * type.
 */
export class CompletionFields {
  readonly #identity: ResponseIdentity;
  readonly #completion: Fields;
  readonly #chunk: Fields;

  /** Selects the fields of a response. Signatures of reasoning reach the caller sealed. */
  constructor(identity: ResponseIdentity, signatures: Signatures) {
    this.#identity = identity;
    const message = objectWith(messageWith(signatures));
    const completeChoice = fields({ ...choiceFields, message });
    const streamed = fields({ ...choiceFields, delta: message });
    this.#completion = fields({
      ...responseFields,
      choices: listOf((value) => toCompleteChoice(value, completeChoice)),
    });
    this.#chunk = fields({ ...responseFields, choices: listOf((value) => toChunkChoice(value, streamed)) });
  }

  completion(body: unknown): JsonObject {
    return this.#named('chat.completion', pickFields(body, this.#completion));
  }

  /** One event of a stream. */
  chunk(body: unknown): JsonObject {
    return this.#named('chat.completion.chunk', pickFields(body, this.#chunk));
  }

  /** Without `created` where it is null, so that the call's own time stands there. */
  #named(object: string, picked: JsonObject): JsonObject {
    const { id, model } = this.#identity;
    if (picked.created != null) return { id, object, model, created: picked.created, ...picked };
    const { created: _absent, ...rest } = picked;
    return { id, object, model, ...rest };
  }
}

function toCompleteChoice(value: unknown, named: Fields): JsonObject {
  const { index, finish_reason: reason, message: allowedFields, ...rest } = pickFields(value, named);
  const message = { role: 'assistant', content: null, ...(allowedFields as JsonObject | null) };
  return { index: index ?? 0, message: message, ...rest, finish_reason: reason ?? null };
}

function toChunkChoice(value: unknown, named: Fields): JsonObject {
  const { index, finish_reason: reason, delta, ...rest } = pickFields(value, named);
  return { index: index ?? 0, delta: delta ?? {}, ...rest, finish_reason: reason ?? null };
}

/** The fields of a reasoning detail (OpenRouter docs, Reasoning tokens, `reasoning_details`). */
const detailFields = fields({
  type: oneOf('reasoning.text', 'reasoning.summary', 'reasoning.encrypted'),
  text,
  summary: text,
  index: looseCount,
});

/** Returns a detail. Its signature is sealed together with the names that the server expects next to it. */
function toDetail(value: unknown, signatures: Signatures): JsonObject {
  const { signature, data, id, format } = objectOf(value);
  const sealed = (detail: unknown) => sealSignature(signatures, { detail: text(detail), id, format });
  return {
    ...pickFields(value, detailFields),
    ...(signature == null ? {} : { signature: sealed(signature) }),
    ...(data == null ? {} : { data: sealed(data) }),
  };
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function messageWith(signatures: Signatures): Fields {
  const sealed: Field = (value) => sealSignature(signatures, { thought_signature: text(value) });
  // Google, OpenAI compatibility, Thought signatures.
  const google = fields({ thought_signature: sealed });
  const toolCall = fields({
    index: looseCount,
    id: text,
    type: plainName,
    function: objectWith(called),
    custom: objectWith(fields({ name: text, input: text })),
    extra_content: objectWith(fields({ google: objectWith(google) })),
  });
  const toolCalls = listOf(objectWith(toolCall));
  return fields({
    ...messageFields,
    tool_calls: (value) => (isEmpty(value) ? undefined : toolCalls(value)),
    reasoning_details: listOf((value) => toDetail(value, signatures)),
  });
}

/** Returns the numeric values of the usage, and drops everything that is not a token count. */
export const allowedUsageOf = account(
  fields({
    prompt_tokens: usageCount,
    completion_tokens: usageCount,
    total_tokens: usageCount,
    prompt_tokens_details: usageCounts(
      'cached_tokens',
      'cache_write_tokens',
      'cache_creation_tokens',
      'audio_tokens',
      'image_tokens',
      'text_tokens',
      'video_tokens',
    ),
    completion_tokens_details: usageCounts(
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
