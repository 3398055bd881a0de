/** Reads a streamed response of an OpenAI-compatible server: bytes -> SSE events -> chunks -> route events. */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { StreamPart } from '../../core/upstream/conversation.ts';
import { type RouteEvent, UpstreamFailure } from '../../core/upstream/provider.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { StreamPartBuilder } from '../../core/upstream/stream-part-builder.ts';
import { legalToolCallId } from '../../core/upstream/tool-calls.ts';
import type { EventReader } from '../event-batches.ts';
import { objectOf, parseUpstreamEvent } from '../http-upstream.ts';
import { ChunkNormalizer, mapChanged, withFinishName } from '../openai-formats/chunk-normalizer.ts';
import { CompletionFields } from '../openai-formats/completion-fields.ts';
import { HeldEnd, indexOf, isReason } from '../openai-formats/held-end.ts';
import { JsonOutputNormalizer, mayBeReasoning } from '../openai-formats/json-output.ts';
import { MAX_TOOL_CALL_ID, reasoningOf, textOf, toFinish } from './content.ts';
import { isError, type OpenAiCallContext, sealedSignature } from './response.ts';
import { UsageReader } from './usage.ts';

/** The end of a stream (OpenAI API reference, Streaming). */
const DONE = '[DONE]';

/**
 * Converts the data of server-sent events to route events. A caller of this protocol receives chunks with the service's
 * id and model name, any other receives stream parts. The response ends with `[DONE]` or, from servers that omit it, with
 * the body after a finish reason.
 */
export class ChunkStreamReader implements EventReader {
  readonly #native: boolean;
  readonly #progress = new StreamProgress();
  readonly #normalizer: ChunkNormalizer;
  readonly #partReader: ChunkPartReader;
  readonly #completionFields: CompletionFields;
  readonly #usage: UsageReader;
  readonly #json: JsonOutputNormalizer | undefined;
  readonly #end = new HeldEnd();
  #isComplete = false;

  constructor({ route, payload, identity, signatures }: OpenAiCallContext) {
    this.#native = payload.protocol === 'openai';
    this.#normalizer = new ChunkNormalizer(identity.id, this.#native);
    this.#partReader = new ChunkPartReader(signatures);
    this.#completionFields = new CompletionFields(identity, signatures);
    this.#usage = new UsageReader(this.#native);
    this.#json = mayBeReasoning(route, payload) ? new JsonOutputNormalizer(reasoningOf) : undefined;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  *read(data: string): Generator<RouteEvent, void> {
    for (const text of splitChunks(data)) {
      this.#isComplete = text === DONE;
      if (this.#isComplete) return;
      const chunk: Chunk = this.#normalizer.read(parseUpstreamEvent(text));
      const choices = choicesOf(chunk);
      // A heartbeat shows nothing of the end of a choice.
      if (chunk.choices !== undefined)
        for (const end of this.#end.release(choices)) {
          yield* this.#bufferedCalls(choicesOf(end.nativeEvent ?? {}).map(indexOf));
          yield end;
        }
      yield* this.#end.hold(this.#readChunk(chunk));
    }
  }

  end(): readonly RouteEvent[] {
    if (this.#isComplete) this.#progress.requireOutput();
    else this.#progress.requireFinish(this.#normalizer.isFinished);
    return [...this.#bufferedCalls(), ...this.#end.release([]), ...this.#ends()];
  }

  #bufferedCalls(indexes?: Iterable<number>): readonly RouteEvent[] {
    const choices = this.#normalizer.bufferedCalls(indexes);
    if (choices.length === 0) return [];
    const outputText = choices.map(({ delta }) => textOf(objectOf(delta))).join('');
    return [{ ...this.#translate({ ...this.#progress.sharedFields, choices }), outputText, hasOutput: true }];
  }

  #ends(): readonly RouteEvent[] {
    const ends = this.#normalizer.ends(this.#isComplete);
    const last = this.#withJsonOutput({ choices: ends });
    const event = { outputText: '', hasOutput: true };
    if (!this.#native) return [{ ...event, parts: this.#partReader.end(choicesOf(last)[0]) }];
    if (ends.length === 0) return [];
    const nativeEvent = {
      ...this.#progress.sharedFields,
      ...this.#completionFields.chunk(named(last, this.#normalizer)),
    };
    return [{ ...event, nativeEvent }];
  }

  /**
   * Returns the route event of one chunk. Usage is removed from it, because the caller receives usage only on request
   * and with the cost.
   */
  #readChunk(chunk: Chunk): RouteEvent {
    if (isError(chunk.error)) throw new UpstreamFailure('interrupted');
    const choices = choicesOf(chunk);
    const usage = this.#usage.read(chunk);
    let text = '';
    let content = false;
    for (const { delta, finish_reason: reason } of choices) {
      if (delta !== undefined && delta !== null) text += textOf(delta);
      content ||= isReason(reason) || hasToolCall(delta);
    }
    const event: RouteEvent = {
      ...(choices.some(hasDeltaOrFinish) ? this.#translate(chunk) : {}),
      ...(usage === undefined ? {} : { usage }),
      outputText: text,
      hasOutput: content || text !== '',
    };
    this.#progress.record(event);
    return event;
  }

  /** Returns what the caller gets of one chunk. */
  #translate(chunk: Chunk): Pick<RouteEvent, 'nativeEvent' | 'parts'> {
    const jsonChunk = this.#withJsonOutput(chunk);
    return this.#native
      ? { nativeEvent: this.#completionFields.chunk(named(jsonChunk, this.#normalizer)) }
      : { parts: this.#partReader.read(choicesOf(jsonChunk)[0]) };
  }

  #withJsonOutput(chunk: Chunk): Chunk {
    return this.#json?.read(chunk) ?? chunk;
  }
}

/** Some servers put several chunks into one event, a line each. */
const splitChunks = (data: string): readonly string[] =>
  data.includes('\n') && /}\s*\n\s*[{[]/.test(data) && !isJson(data)
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

/** Returns the chunk with finish reasons that callers support. */
function named(chunk: Chunk, normalizer: ChunkNormalizer): JsonObject {
  const choices = choicesOf(chunk);
  const namedChoices = mapChanged<JsonObject>(choices, (choice) =>
    withFinishName(choice, normalizer.hasCalls(indexOf(choice))),
  );
  return namedChoices === choices ? chunk : { ...chunk, choices: namedChoices };
}

/** The progress of a stream. */
class StreamProgress {
  #output = false;
  /** True if the usage arrived exactly once, after all output. */
  #accounted = false;
  #accounts = 0;
  #created: unknown;

  /** Returns the fields that all chunks of the response share. */
  get sharedFields(): JsonObject {
    return this.#created === undefined ? {} : { created: this.#created };
  }

  record({ hasOutput, nativeEvent, usage, outputText }: RouteEvent): void {
    this.#output ||= hasOutput;
    this.#created ??= nativeEvent?.created;
    if (usage !== undefined) this.#accounts += 1;
    this.#accounted = this.#accounts === 1 && outputText === '' && (this.#accounted || usage !== undefined);
  }

  /** Throws if a stream reports its end without any output. */
  requireOutput(): void {
    if (!this.#output) throw new UpstreamFailure('protocol');
  }

  /**
   * Throws if a body ends without an end marker, unless every started choice has finished, or the usage of the whole
   * output has arrived. With usage alone, the caller receives the output as an incomplete response.
   */
  requireFinish(isFinished: boolean): void {
    if (this.#output && this.#accounted) return;
    if (!isFinished) throw new UpstreamFailure('interrupted');
  }
}

interface Chunk extends JsonObject {
  readonly choices?: unknown;
  readonly error?: unknown;
}

interface ChunkChoice extends JsonObject {
  readonly index?: unknown;
  readonly delta?: JsonObject | null;
  readonly finish_reason?: unknown;
  readonly stop_reason?: unknown;
}

/** Throws when a choice is not an object, or has failed. */
function choicesOf({ choices }: Chunk): readonly ChunkChoice[] {
  if (!Array.isArray(choices)) return [];
  if (!choices.every(isJsonObject)) throw new UpstreamFailure('protocol');
  if (choices.some(({ error }) => isError(error))) throw new UpstreamFailure('interrupted');
  return choices;
}

/** A choice without either is a note of Azure's filter about text that went before (Azure OpenAI docs, Content streaming). */
const hasDeltaOrFinish = ({ delta, finish_reason: reason }: ChunkChoice): boolean =>
  isJsonObject(delta) || isReason(reason);

/**
 * Returns whether the delta contains a tool call. The first delta of a call may have neither name nor arguments, but it
 * is output.
 */
function hasToolCall(delta: ChunkChoice['delta']): boolean {
  return Array.isArray(delta?.tool_calls) && delta.tool_calls.length > 0;
}

interface ToolCallDelta {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
  readonly extra_content?: unknown;
}

/** Reads the one choice of a stream into stream parts. */
class ChunkPartReader {
  readonly #signatures: Signatures;
  readonly #builder = new StreamPartBuilder();
  /** The indexes of the blocks of tool calls, by the indexes of the calls. */
  readonly #calls = new Map<unknown, number>();
  #finish: ChunkChoice = {};

  constructor(signatures: Signatures) {
    this.#signatures = signatures;
  }

  read(choice: ChunkChoice | undefined): StreamPart[] {
    if (choice !== undefined && isReason(choice.finish_reason)) this.#finish = choice;
    const delta = choice?.delta ?? {};
    const { content, refusal, tool_calls: calls } = delta;
    const parts = this.#builder.textDelta('reasoning', reasoningOf(delta));
    if (typeof content === 'string') parts.push(...this.#builder.textDelta('text', content));
    if (typeof refusal === 'string') parts.push(...this.#builder.textDelta('refusal', refusal));
    for (const call of Array.isArray(calls) ? calls : [])
      parts.push(...this.#readCall(call as ToolCallDelta));
    return parts;
  }

  /**
   * Returns the stream parts that end the response. `last`: output that is only available at the end, if the vendor
   * sent no finish reason.
   */
  end(last: ChunkChoice | undefined): StreamPart[] {
    const bufferedParts = last?.delta === undefined ? [] : this.read({ delta: last.delta });
    const finish = toFinish({ ...this.#finish, ...last }, this.#calls.size > 0);
    return [...bufferedParts, ...this.#builder.finish(finish)];
  }

  *#readCall(delta: ToolCallDelta): Generator<StreamPart> {
    const { id, index, function: called } = delta;
    let blockIndex = this.#calls.get(index);
    if (blockIndex === undefined) {
      if (typeof called?.name !== 'string' || typeof id !== 'string') throw new UpstreamFailure('protocol');
      yield* this.#signatureParts(delta);
      const started = this.#builder.startToolCall(legalToolCallId(id, MAX_TOOL_CALL_ID), called.name);
      blockIndex = started.index;
      this.#calls.set(index, blockIndex);
      yield* started.parts;
    }
    const text = called?.arguments;
    if (typeof text === 'string') yield* this.#builder.argumentsDelta(blockIndex, text);
  }

  /** Returns the parts of a call's signature, which precedes the call in a separate block. */
  #signatureParts({ extra_content: extra }: ToolCallDelta): StreamPart[] {
    const signature = sealedSignature(extra, this.#signatures);
    return signature === undefined
      ? []
      : [...this.#builder.endText(), ...this.#builder.endReasoning(signature)];
  }
}
