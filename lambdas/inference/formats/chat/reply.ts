/** An answer in the chat completions format: a whole completion, or the chunks of a stream. */

import * as z from 'zod';
import type { Body } from '../../../platform/core/api/response-schema.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { ReplyWriter, WriterOptions } from '../../core/completions/reply-writer.ts';
import { type TokenUsage, writtenTokens } from '../../core/pricing/token-usage.ts';
import type {
  AssistantReply,
  BlockStart,
  FinishReason,
  ReasoningPart,
  StreamPart,
} from '../../core/upstream/conversation.ts';
import type { WholeAnswer } from '../../core/upstream/provider.ts';
import { reasoningDetail, reasoningFields } from './reasoning.ts';

/** OpenAI API reference, The chat completion object, `finish_reason`. */
const FINISH_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  context: 'length',
  'tool-calls': 'tool_calls',
  refusal: 'content_filter',
  pause: 'stop',
};

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

export interface ChatWriterOptions extends Pick<WriterOptions, 'identity'> {
  /** The start of the call, in milliseconds since the epoch. */
  readonly createdMs: number;
  /** The caller wants no reasoning in the answer. */
  readonly hidesReasoning?: boolean;
}

export function chatWriter({ identity, createdMs, hidesReasoning = false }: ChatWriterOptions): ReplyWriter {
  const created = Math.floor(createdMs / 1000);
  const chunks = new ChunkWriter({ ...identity, object: 'chat.completion.chunk', created }, hidesReasoning);
  return {
    whole: (answer, usage) => JSON.stringify({ ...completion(answer), usage: usageBody(usage) }),
    part: (part) => chunks.write(part),
  };

  function completion(answer: WholeAnswer): JsonObject {
    // Not every route says when it answered.
    if ('body' in answer) return { created, ...answer.body };
    return {
      ...identity,
      object: 'chat.completion',
      created,
      choices: [choice(answer.reply, hidesReasoning)],
    };
  }
}

function choice({ parts, finish }: AssistantReply, hidesReasoning: boolean): JsonObject {
  const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []));
  const refusals = parts.flatMap((part) => (part.type === 'refusal' ? part.text : []));
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? part : []));
  return {
    index: 0,
    message: {
      role: 'assistant',
      content: texts.length === 0 && calls.length + refusals.length > 0 ? null : texts.join(''),
      refusal: refusals.length === 0 ? null : refusals.join(''),
      ...(hidesReasoning ? {} : reasoningFields(parts)),
      ...(calls.length === 0
        ? {}
        : { tool_calls: calls.map(({ id, name, arguments: text }) => toolCall(id, name, text)) }),
    },
    logprobs: null,
    finish_reason: FINISH_REASONS[finish.reason],
    native_finish_reason: finish.raw,
  };
}

const toolCall = (id: string, name: string, text: string) => ({
  id,
  type: 'function',
  function: { name, arguments: text === '' ? NO_ARGUMENTS : text },
});

/** Chunks of one choice; the first carries the role (OpenAI API reference, The chat completion chunk object). */
class ChunkWriter {
  readonly #frame: JsonObject;
  readonly #hidesReasoning: boolean;
  #opened = false;
  /** The blocks that have begun: what a text is made of, or which of the tool calls it is. */
  readonly #blocks = new Map<number, BlockStart['type'] | number>();
  #calls = 0;
  /** Tool calls whose arguments have not begun. */
  readonly #bare = new Set<number>();
  /** The text of the reasoning that is open, for the detail that ends it. */
  #thought = '';
  /** Signed reasoning that has ended, until it is known whether a tool call follows it. */
  #signed: Omit<ReasoningPart, 'type'>[] = [];
  #details = 0;

  constructor(frame: JsonObject, hidesReasoning: boolean) {
    this.#frame = frame;
    this.#hidesReasoning = hidesReasoning;
  }

  write(part: StreamPart): readonly JsonObject[] {
    const chunks = this.#chunksOf(part);
    if (this.#opened || chunks.length === 0) return chunks;
    this.#opened = true;
    return [this.#chunk({ role: 'assistant', content: '' }), ...chunks];
  }

  #chunksOf(part: StreamPart): JsonObject[] {
    switch (part.type) {
      case 'start':
        return [...this.#endThoughts(part.content), ...this.#start(part.block, part.content)];
      case 'delta':
        return this.#delta(this.#blocks.get(part.block), part.text);
      case 'finish':
        return [
          ...this.#endThoughts(),
          ...[...this.#bare].map((index) => this.#arguments(index, NO_ARGUMENTS)),
          this.#chunk({}, FINISH_REASONS[part.reason], part.raw),
        ];
      case 'end':
        if (this.#blocks.get(part.block) === 'reasoning' && part.signature !== undefined)
          this.#signed.push({ text: this.#thought, signature: part.signature });
        return [];
    }
  }

  #start(block: number, content: BlockStart): JsonObject[] {
    if (content.type !== 'tool-call') {
      this.#thought = '';
      this.#blocks.set(block, content.type);
      return [];
    }
    const index = this.#calls;
    this.#calls += 1;
    this.#blocks.set(block, index);
    this.#bare.add(index);
    const { id, name } = content;
    return [
      this.#chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    ];
  }

  #delta(block: BlockStart['type'] | number | undefined, text: string): JsonObject[] {
    if (typeof block === 'number') {
      this.#bare.delete(block);
      return [this.#arguments(block, text)];
    }
    if (block === 'reasoning') {
      this.#thought += text;
      return this.#hidesReasoning ? [] : [this.#chunk({ reasoning_content: text })];
    }
    return [this.#chunk(block === 'refusal' ? { refusal: text } : { content: text })];
  }

  /** The details of what has ended, once, with their texts whole: a client that only gathers them has all of it. */
  #endThoughts(next?: BlockStart): JsonObject[] {
    if (this.#signed.length === 0 || this.#hidesReasoning || next?.type === 'reasoning') return [];
    const before = next?.type === 'tool-call' ? next.id : undefined;
    const details = this.#signed.map((thought) => {
      this.#details += 1;
      return { ...reasoningDetail(thought, before), index: this.#details - 1 };
    });
    this.#signed = [];
    return [this.#chunk({ reasoning_details: details })];
  }

  #arguments(index: number, text: string): JsonObject {
    return this.#chunk({ tool_calls: [{ index, function: { arguments: text } }] });
  }

  #chunk(delta: JsonObject, finishReason: string | null = null, raw?: string): JsonObject {
    const end = raw === undefined ? {} : { native_finish_reason: raw };
    return {
      ...this.#frame,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason, ...end }],
    };
  }
}
