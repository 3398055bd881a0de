/** A streamed answer of an OpenAI-compatible server: bytes -> events -> chunks -> reply events. */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Signatures } from '../../core/upstream/capsules.ts';
import type { StreamPart } from '../../core/upstream/conversation.ts';
import { type ReplyEvent, UpstreamFailure } from '../../core/upstream/provider.ts';
import { StreamBlocks } from '../../core/upstream/stream-blocks.ts';
import { legalToolCallId } from '../../core/upstream/tool-calls.ts';
import { drain, parseEvent } from '../http-upstream.ts';
import { ChatForm, withFinishName } from '../openai-formats/chat-form.ts';
import { CompletionFields } from '../openai-formats/completion-fields.ts';
import { AnswerChunks, mayBeReasoning } from '../openai-formats/json-answer.ts';
import { MAX_TOOL_CALL_ID, reasoningOf, textOf, toFinish } from './content.ts';
import { isError, type OpenAiCallContext, sealedSignature } from './response.ts';
import { UsageReader } from './usage.ts';

/** The end of a stream (OpenAI API reference, Streaming). */
const DONE = '[DONE]';

/** Makes what the caller gets of one chunk. */
type Translate = (chunk: Chunk) => Pick<ReplyEvent, 'payload' | 'parts'>;

/**
 * Turns the data of server-sent events into reply events: chunks under our own id and model name for a caller of this
 * protocol, else parts. Ends normally only after `[DONE]` or, for servers that leave it out, after a finish reason;
 * throws `UpstreamFailure` otherwise.
 */
export async function* toReplyEvents(
  data: AsyncIterable<string>,
  { route, payload, identity, signatures }: OpenAiCallContext,
): AsyncGenerator<ReplyEvent, void> {
  const iterator = data[Symbol.asyncIterator]();
  const progress = new Progress();
  const native = payload.protocol === 'openai';
  const form = new ChatForm(identity.id);
  const reader = new PartReader(signatures);
  const kept = new CompletionFields(identity, signatures);
  const account = new UsageReader(native);
  const json = mayBeReasoning(route, payload) ? new AnswerChunks(reasoningOf) : undefined;
  const answered = (chunk: Chunk): Chunk => json?.read(chunk) ?? chunk;
  const translate: Translate = native
    ? (chunk) => ({ payload: kept.chunk(named(answered(chunk), form)) })
    : (chunk) => ({ parts: reader.read(choicesOf(answered(chunk))[0]) });
  let open = true;
  try {
    for (let next = await iterator.next(); open && !next.done; next = await iterator.next()) {
      for (const text of textsOf(next.value)) {
        if (text === DONE) {
          open = false;
          break;
        }
        const chunk: Chunk = form.read(parseEvent(text));
        const event = toReplyEvent(chunk, translate, account);
        progress.see(chunk, event);
        yield event;
      }
      if (open) continue;
      // The body's last bytes are read in the background, so that the connection can be used again.
      void drain(iterator);
      progress.requireOutput();
      break;
    }
    if (open) progress.requireFinish();
    open = false;
  } finally {
    if (open) await iterator.return?.();
  }
  const ends = form.ends();
  const text = ends.map(({ delta }) => (isJsonObject(delta) ? textOf(delta) : '')).join('');
  const last = answered({ choices: ends });
  if (!native) yield { parts: reader.end(choicesOf(last)[0]), text, content: true };
  else if (ends.length > 0)
    yield { payload: { ...progress.frame, ...kept.chunk(last) }, text, content: true };
}

/** Some servers put several chunks into one event, a line each. */
const textsOf = (data: string): readonly string[] =>
  /}\s*\n\s*[{[]/.test(data) && !isJson(data)
    ? data.split('\n').filter((line) => line.trim() !== '')
    : [data];

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The chunk with the names of ends that callers know. */
const named = (chunk: Chunk, form: ChatForm): JsonObject => ({
  ...chunk,
  choices: choicesOf(chunk).map((choice) => withFinishName({ ...choice }, form.hasCalls(choice.index))),
});

/** The progress of each choice of a stream. */
class Progress {
  readonly #unfinished = new Set<unknown>();
  #finished = false;
  #output = false;
  /** The account came behind all that was said, and only there. */
  #accounted = false;
  #accounts = 0;
  #created: unknown;

  /** Returns the fields that all chunks of the response share. */
  get frame(): JsonObject {
    return this.#created === undefined ? {} : { created: this.#created };
  }

  see(chunk: Chunk, { content, payload, usage, text }: ReplyEvent): void {
    this.#output ||= content;
    this.#created ??= payload?.created;
    if (usage !== undefined) this.#accounts += 1;
    this.#accounted = this.#accounts === 1 && text === '' && (this.#accounted || usage !== undefined);
    for (const { index = 0, finish_reason: reason } of choicesOf(chunk).filter(isSaid)) {
      if (!isReason(reason)) {
        this.#unfinished.add(index);
        continue;
      }
      this.#unfinished.delete(index);
      this.#finished = true;
    }
  }

  /** A stream that says it is done must have said something. */
  requireOutput(): void {
    if (!this.#output) throw new UpstreamFailure('protocol');
  }

  /** A body that just ends must have finished every choice that it began, or have said what the whole answer counts. */
  requireFinish(): void {
    if (this.#output && this.#accounted) return;
    if (!this.#finished || this.#unfinished.size > 0) throw new UpstreamFailure('interrupted');
  }
}

interface Chunk extends JsonObject {
  readonly choices?: unknown;
  readonly error?: unknown;
}

interface ChunkChoice {
  readonly index?: unknown;
  readonly delta?: JsonObject | null;
  readonly finish_reason?: unknown;
  readonly stop_reason?: unknown;
}

/** One chunk; usage is taken out of it, because the caller gets usage only when asking and with the cost. */
function toReplyEvent(chunk: Chunk, translate: Translate, account: UsageReader): ReplyEvent {
  if (isError(chunk.error)) throw new UpstreamFailure('interrupted');
  const choices = choicesOf(chunk);
  const usage = account.read(chunk);
  let text = '';
  let content = false;
  for (const { delta, finish_reason: reason } of choices) {
    if (delta !== undefined && delta !== null) text += textOf(delta);
    content ||= isReason(reason) || hasToolCall(delta);
  }
  return {
    ...(choices.some(isSaid) ? translate(chunk) : {}),
    ...(usage === undefined ? {} : { usage }),
    text,
    content: content || text !== '',
  };
}

/** Throws when a choice is not an object, or has failed. */
function choicesOf({ choices }: Chunk): readonly ChunkChoice[] {
  if (!Array.isArray(choices)) return [];
  if (!choices.every(isJsonObject)) throw new UpstreamFailure('protocol');
  if (choices.some(({ error }) => isError(error))) throw new UpstreamFailure('interrupted');
  return choices;
}

/** A choice without either is a note of Azure's filter about text that went before (Azure OpenAI docs, Content streaming). */
const isSaid = ({ delta, finish_reason: reason }: ChunkChoice): boolean =>
  isJsonObject(delta) || isReason(reason);

/** Some servers send an empty reason until there is one. */
const isReason = (reason: unknown): boolean => typeof reason === 'string' && reason !== '';

/** A tool call's opening may carry neither name nor arguments yet; it is output all the same. */
function hasToolCall(delta: ChunkChoice['delta']): boolean {
  return Array.isArray(delta?.tool_calls) && delta.tool_calls.length > 0;
}

interface ToolCallDelta {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
  readonly extra_content?: unknown;
}

/** Reads the one choice of a stream into parts. */
class PartReader {
  readonly #signatures: Signatures;
  readonly #blocks = new StreamBlocks();
  /** The blocks of the tool calls, by their numbers. */
  readonly #calls = new Map<unknown, number>();
  #finish: ChunkChoice = {};

  constructor(signatures: Signatures) {
    this.#signatures = signatures;
  }

  read(choice: ChunkChoice | undefined): StreamPart[] {
    if (choice !== undefined && isReason(choice.finish_reason)) this.#finish = choice;
    const delta = choice?.delta ?? {};
    const { content, refusal, tool_calls: calls } = delta;
    const parts = this.#blocks.text('reasoning', reasoningOf(delta));
    if (typeof content === 'string') parts.push(...this.#blocks.text('text', content));
    if (typeof refusal === 'string') parts.push(...this.#blocks.text('refusal', refusal));
    for (const call of Array.isArray(calls) ? calls : [])
      parts.push(...this.#readCall(call as ToolCallDelta));
    return parts;
  }

  /** The parts that end the answer; `last`: what came of it only with its end, where the host gave no reason. */
  end(last: ChunkChoice | undefined): StreamPart[] {
    const held = last?.delta === undefined ? [] : this.read({ delta: last.delta });
    return [...held, ...this.#blocks.finish(toFinish(this.#finish, this.#calls.size > 0))];
  }

  *#readCall(delta: ToolCallDelta): Generator<StreamPart> {
    const { id, index, function: called } = delta;
    let block = this.#calls.get(index);
    if (block === undefined) {
      if (typeof called?.name !== 'string' || typeof id !== 'string') throw new UpstreamFailure('protocol');
      yield* this.#proof(delta);
      const started = this.#blocks.startCall(legalToolCallId(id, MAX_TOOL_CALL_ID), called.name);
      block = started.block;
      this.#calls.set(index, block);
      yield* started.parts;
    }
    const text = called?.arguments;
    if (typeof text === 'string') yield* this.#blocks.arguments(block, text);
  }

  /** Returns the parts of a call's signature, which precedes the call in a separate content part. */
  #proof({ extra_content: extra }: ToolCallDelta): StreamPart[] {
    const signature = sealedSignature(extra, this.#signatures);
    return signature === undefined
      ? []
      : [...this.#blocks.endText(), ...this.#blocks.endReasoning(signature)];
  }
}
