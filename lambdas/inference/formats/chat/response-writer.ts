/** A response in the chat completions format: a complete completion, or the chunks of a stream. */

import { hash } from 'node:crypto';
import * as z from 'zod';
import type { Body } from '../../../platform/core/api/response-schema.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { ResponseWriter, WriterOptions } from '../../core/completions/response-writer.ts';
import { type TokenUsage, writtenTokens } from '../../core/pricing/token-usage.ts';
import {
  type AssistantOutput,
  CHAT_FINISH_REASONS,
  type ContentStart,
  type ReasoningPart,
  type StreamPart,
} from '../../core/upstream/conversation.ts';
import type { CompleteResponse } from '../../core/upstream/provider.ts';
import { reasoningDetail, reasoningFields } from './reasoning.ts';

/** A call without arguments is a call with an empty object. */
const NO_ARGUMENTS = '{}';

export const usageSchema = z.looseObject({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.looseObject({ cached_tokens: z.int() }),
});

/** The interface's Usage, with what else the route reported, and what it counted in another protocol. */
export function usageBody({
  promptTokens,
  completionTokens,
  cachedTokens,
  cacheWrites,
  reasoningTokens,
  reported,
}: TokenUsage): Body<typeof usageSchema> {
  const ofPrompt = reported?.prompt_tokens_details as object | undefined;
  const ofCompletion = reported?.completion_tokens_details as object | undefined;
  const written = writtenTokens(cacheWrites);
  return {
    ...reported,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: {
      ...ofPrompt,
      cached_tokens: cachedTokens,
      ...(written === undefined ? {} : { cache_write_tokens: written }),
    },
    ...(reasoningTokens === undefined
      ? {}
      : { completion_tokens_details: { ...ofCompletion, reasoning_tokens: reasoningTokens } }),
  };
}

/** The field by which callers notice a change of what serves them. */
export interface Fingerprint {
  readonly system_fingerprint: string;
}

/** Returns the fingerprint of a version of the catalog. A route's own would identify its backend. */
export const fingerprintOf = (catalog: string): Fingerprint => ({
  system_fingerprint: `fp_${hash('sha256', catalog).slice(0, 12)}`,
});

export interface ChatWriterOptions extends Pick<WriterOptions, 'identity'> {
  /** The start of the call, in milliseconds since the epoch. */
  readonly createdMs: number;
  readonly fingerprint?: Fingerprint;
  /** True if the caller requests a response without reasoning. */
  readonly hidesReasoning?: boolean;
}

export function chatWriter({
  identity,
  createdMs,
  fingerprint,
  hidesReasoning = false,
}: ChatWriterOptions): ResponseWriter {
  const created = Math.floor(createdMs / 1000);
  const chunkWriter = new ChunkWriter(
    { ...identity, object: 'chat.completion.chunk', created },
    hidesReasoning,
  );
  return {
    body: (response, usage) =>
      JSON.stringify({ ...completion(response), ...fingerprint, usage: usageBody(usage) }),
    events: (part) => chunkWriter.write(part),
  };

  function completion(response: CompleteResponse): JsonObject {
    // Some routes do not report the time of their response.
    if ('body' in response) return { created, ...response.body };
    return {
      ...identity,
      object: 'chat.completion',
      created,
      choices: [choice(response.output, hidesReasoning)],
    };
  }
}

function choice({ parts, finish }: AssistantOutput, hidesReasoning: boolean): JsonObject {
  const outputStrings = parts.flatMap((part) => (part.type === 'text' ? part.text : []));
  const refusals = parts.flatMap((part) => (part.type === 'refusal' ? part.text : []));
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? part : []));
  return {
    index: 0,
    message: {
      role: 'assistant',
      content:
        outputStrings.length === 0 && calls.length + refusals.length > 0 ? null : outputStrings.join(''),
      refusal: refusals.length === 0 ? null : refusals.join(''),
      ...(hidesReasoning ? {} : reasoningFields(parts)),
      ...(calls.length === 0
        ? {}
        : { tool_calls: calls.map(({ id, name, arguments: text }) => toolCall(id, name, text)) }),
    },
    logprobs: null,
    finish_reason: CHAT_FINISH_REASONS[finish.reason],
    native_finish_reason: finish.raw,
  };
}

const toolCall = (id: string, name: string, text: string) => ({
  id,
  type: 'function',
  function: { name, arguments: text === '' ? NO_ARGUMENTS : text },
});

/**
 * Writes the chunks of one choice. The first chunk contains the role (OpenAI API reference, The chat completion chunk
 * object).
 */
class ChunkWriter {
  readonly #sharedFields: JsonObject;
  readonly #hidesReasoning: boolean;
  #opened = false;
  /** The started blocks, by their indexes: the type of a text, or the index of a tool call. */
  readonly #startedBlocks = new Map<number, ContentStart['type'] | number>();
  #calls = 0;
  /** Tool calls whose arguments have not started. */
  readonly #callsWithoutArguments = new Set<number>();
  /** The text of the reasoning that is open, for the detail that ends it. */
  #reasoningText = '';
  /** Signed reasoning that has ended, buffered until it is known whether a tool call follows. */
  #signedReasoning: Omit<ReasoningPart, 'type'>[] = [];
  #details = 0;

  constructor(sharedFields: JsonObject, hidesReasoning: boolean) {
    this.#sharedFields = sharedFields;
    this.#hidesReasoning = hidesReasoning;
  }

  write(part: StreamPart): readonly JsonObject[] {
    const chunks = this.#chunksOf(part);
    if (this.#opened || chunks.length === 0) return chunks;
    this.#opened = true;
    return [this.#toChunk({ role: 'assistant', content: '' }), ...chunks];
  }

  #chunksOf(part: StreamPart): JsonObject[] {
    switch (part.type) {
      case 'start':
        return [...this.#endThoughts(part.content), ...this.#start(part.index, part.content)];
      case 'delta':
        return this.#delta(this.#startedBlocks.get(part.index), part.text);
      case 'finish':
        return [
          ...this.#endThoughts(),
          ...[...this.#callsWithoutArguments].map((index) => this.#arguments(index, NO_ARGUMENTS)),
          this.#toChunk({}, CHAT_FINISH_REASONS[part.reason], part.raw),
        ];
      case 'end':
        if (this.#startedBlocks.get(part.index) === 'reasoning' && part.signature !== undefined)
          this.#signedReasoning.push({ text: this.#reasoningText, signature: part.signature });
        return [];
    }
  }

  #start(partIndex: number, content: ContentStart): JsonObject[] {
    if (content.type !== 'tool-call') {
      this.#reasoningText = '';
      this.#startedBlocks.set(partIndex, content.type);
      return [];
    }
    const index = this.#calls;
    this.#calls += 1;
    this.#startedBlocks.set(partIndex, index);
    this.#callsWithoutArguments.add(index);
    const { id, name } = content;
    return [
      this.#toChunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    ];
  }

  #delta(typeOrIndex: ContentStart['type'] | number | undefined, text: string): JsonObject[] {
    if (typeof typeOrIndex === 'number') {
      this.#callsWithoutArguments.delete(typeOrIndex);
      return [this.#arguments(typeOrIndex, text)];
    }
    if (typeOrIndex === 'reasoning') {
      this.#reasoningText += text;
      return this.#hidesReasoning ? [] : [this.#toChunk({ reasoning_content: text })];
    }
    return [this.#toChunk(typeOrIndex === 'refusal' ? { refusal: text } : { content: text })];
  }

  /** The details of what has ended, once, with their texts whole: a client that only gathers them has all of it. */
  #endThoughts(next?: ContentStart): JsonObject[] {
    if (this.#signedReasoning.length === 0 || this.#hidesReasoning || next?.type === 'reasoning') return [];
    const before = next?.type === 'tool-call' ? next.id : undefined;
    const details = this.#signedReasoning.map((thought) => {
      this.#details += 1;
      return { ...reasoningDetail(thought, before), index: this.#details - 1 };
    });
    this.#signedReasoning = [];
    return [this.#toChunk({ reasoning_details: details })];
  }

  #arguments(index: number, text: string): JsonObject {
    return this.#toChunk({ tool_calls: [{ index, function: { arguments: text } }] });
  }

  #toChunk(delta: JsonObject, finishReason: string | null = null, raw?: string): JsonObject {
    const nativeFinish = raw === undefined ? {} : { native_finish_reason: raw };
    return {
      ...this.#sharedFields,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason, ...nativeFinish }],
    };
  }
}
