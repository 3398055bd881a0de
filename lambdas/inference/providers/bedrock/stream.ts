/**
 * Reads a streamed response of Converse: events -> route events (Amazon Bedrock API reference, ConverseStreamOutput).
 */
import type { ConverseStreamOutput } from '@aws-sdk/client-bedrock-runtime';
import type { StreamPart } from '../../core/upstream/conversation.ts';
import { type RouteEvent, UpstreamFailure } from '../../core/upstream/provider.ts';
import { StreamPartBuilder } from '../../core/upstream/stream-part-builder.ts';
import { drain } from '../event-batches.ts';
import { signatureOf } from './content.ts';
import { type ConverseCallContext, toFinish } from './response.ts';
import { toUsage } from './usage.ts';

/**
 * Converts the events of a stream to route events. Ends normally only after `messageStop`; the usage that follows it
 * may be missing. Throws `UpstreamFailure` for a stream that ends earlier, and rethrows errors of the stream.
 */
export async function* readRouteEvents(
  stream: AsyncIterable<ConverseStreamOutput>,
  call: ConverseCallContext,
): AsyncGenerator<RouteEvent, void> {
  const iterator = stream[Symbol.asyncIterator]();
  const reader = new ConverseStreamReader(call);
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    const event = reader.read(next.value);
    if (event !== undefined) yield event;
    if (!reader.isComplete) continue;
    // The body's last bytes are read in the background, so that the connection can be used again.
    void drain(iterator);
    return;
  }
  if (!reader.isFinished) throw new UpstreamFailure('interrupted');
}

/** A block that has started. */
type OpenBlock =
  | { readonly kind: 'text' }
  | { readonly kind: 'dropped' }
  /** Includes the received signature: text, or bytes that only the model reads. */
  | { readonly kind: 'reasoning'; signature: string; redacted: Uint8Array }
  /** A tool call, by the index of its content block. */
  | { readonly kind: 'call'; readonly index: number }
  /** The answer that was requested as a tool's input. */
  | { readonly kind: 'answer'; empty: boolean };

const newReasoning = (): Extract<OpenBlock, { kind: 'reasoning' }> => ({
  kind: 'reasoning',
  signature: '',
  redacted: new Uint8Array(),
});

interface ParsedConverseEvent {
  readonly parts: readonly StreamPart[];
  readonly text: string;
}

const NOTHING: ParsedConverseEvent = { parts: [], text: '' };

class ConverseStreamReader {
  readonly #call: ConverseCallContext;
  readonly #open = new Map<unknown, OpenBlock>();
  readonly #builder = new StreamPartBuilder();
  #calls = 0;
  /**
   * Text buffered while the answer may still arrive as a tool's input. It is part of the response only if no such
   * answer arrives.
   */
  #bufferedText = '';
  #hasAnswerTool = false;
  #finished = false;
  #stopReason: unknown;
  #metered = false;

  constructor(call: ConverseCallContext) {
    this.#call = call;
  }

  /** True if the response is complete. Its usage may still follow. */
  get isFinished(): boolean {
    return this.#finished;
  }

  get isComplete(): boolean {
    return this.#finished && this.#metered;
  }

  read(event: ConverseStreamOutput): RouteEvent | undefined {
    if (event.metadata !== undefined) {
      // Larger counts may follow those that precede the end.
      this.#metered = this.#finished;
      const usage = toUsage({ ...event.metadata, stopReason: this.#stopReason });
      return usage === undefined ? undefined : { outputText: '', hasOutput: false, usage };
    }
    const { parts, text } = this.#finished ? NOTHING : this.#readOutput(event);
    if (parts.length > 0) return { parts, outputText: text, hasOutput: true };
    // Output that the caller does not get, or not yet, is output too: a model that thinks for long is healthy.
    return text === '' ? undefined : { outputText: text, hasOutput: true };
  }

  #readOutput(event: ConverseStreamOutput): ParsedConverseEvent {
    const { contentBlockStart: start, contentBlockDelta: delta, contentBlockStop: stop, messageStop } = event;
    if (start !== undefined) return this.#start(start.contentBlockIndex, start.start?.toolUse);
    if (delta !== undefined) return this.#read(delta.contentBlockIndex, Object(delta.delta));
    if (stop !== undefined) return { parts: this.#stop(stop.contentBlockIndex), text: '' };
    if (messageStop === undefined) return NOTHING;
    this.#finished = true;
    this.#stopReason = messageStop.stopReason;
    const finish = toFinish(messageStop, this.#call, this.#calls > 0);
    return { parts: [...this.#release(), ...this.#builder.finish(finish)], text: '' };
  }

  /** Only the blocks of tools are announced by every model. */
  #start(
    blockIndex: unknown,
    toolUse: { readonly toolUseId: unknown; readonly name: unknown } | undefined,
  ): ParsedConverseEvent {
    if (toolUse === undefined) return NOTHING;
    const { toolUseId: id, name } = toolUse;
    if (typeof id !== 'string' || typeof name !== 'string') throw new UpstreamFailure('protocol');
    if (name === this.#call.answerTool) {
      this.#open.set(blockIndex, this.#hasAnswerTool ? { kind: 'dropped' } : { kind: 'answer', empty: true });
      this.#hasAnswerTool = true;
      this.#bufferedText = '';
      return NOTHING;
    }
    const released = this.#release();
    const call = this.#builder.startToolCall(this.#call.callIds.at(this.#calls, id), name);
    this.#calls += 1;
    this.#open.set(blockIndex, { kind: 'call', index: call.index });
    return { parts: [...released, ...call.parts], text: name };
  }

  #read(blockIndex: unknown, delta: Delta): ParsedConverseEvent {
    if (typeof delta.text === 'string') return this.#readText(blockIndex, delta.text);
    const { input } = Object(delta.toolUse) as { input?: unknown };
    if (typeof input === 'string') return this.#readInput(this.#open.get(blockIndex), input);
    return delta.reasoningContent === undefined
      ? NOTHING
      : this.#readReasoning(blockIndex, Object(delta.reasoningContent));
  }

  #readReasoning(
    blockIndex: unknown,
    { text, signature, redactedContent: redacted }: ReasoningDelta,
  ): ParsedConverseEvent {
    const openBlock = this.#open.get(blockIndex);
    const open = openBlock?.kind === 'reasoning' ? openBlock : newReasoning();
    this.#open.set(blockIndex, open);
    if (typeof signature === 'string') open.signature += signature;
    if (redacted instanceof Uint8Array) open.redacted = Buffer.concat([open.redacted, redacted]);
    return typeof text === 'string' ? { parts: this.#builder.textDelta('reasoning', text), text } : NOTHING;
  }

  #readText(blockIndex: unknown, text: string): ParsedConverseEvent {
    if (this.#call.answerTool === undefined) {
      if (text === '') return NOTHING;
      this.#open.set(blockIndex, { kind: 'text' });
      return { parts: this.#builder.textDelta('text', text), text };
    }
    if (!this.#hasAnswerTool) this.#bufferedText += text;
    return { parts: [], text };
  }

  #readInput(open: OpenBlock | undefined, input: string): ParsedConverseEvent {
    if (open === undefined || open.kind === 'text' || open.kind === 'reasoning')
      throw new UpstreamFailure('protocol');
    if (input === '' || open.kind === 'dropped') return { parts: [], text: input };
    if (open.kind === 'call') return { parts: this.#builder.argumentsDelta(open.index, input), text: input };
    open.empty = false;
    return { parts: this.#builder.textDelta('text', input), text: input };
  }

  #stop(blockIndex: unknown): StreamPart[] {
    const open = this.#open.get(blockIndex);
    this.#open.delete(blockIndex);
    if (open === undefined || open.kind === 'dropped') return [];
    if (open.kind === 'call') return this.#builder.endToolCall(open.index);
    const signature = open.kind === 'reasoning' ? signatureOf(open, this.#call.signatures) : undefined;
    if (signature !== undefined) return this.#builder.endReasoning(signature);
    const nothing = open.kind === 'answer' && open.empty ? this.#builder.textDelta('text', '{}') : [];
    return [...nothing, ...this.#builder.endText()];
  }

  /** Returns the buffered text once it is certain to be part of the response. */
  #release(): StreamPart[] {
    const text = this.#bufferedText;
    this.#bufferedText = '';
    return [...this.#builder.textDelta('text', text), ...this.#builder.endText()];
  }
}

/** Nothing of it is certain: the client passes on what it is sent. */
interface Delta {
  readonly text?: unknown;
  readonly toolUse?: unknown;
  readonly reasoningContent?: unknown;
}

/** One of them (Amazon Bedrock API reference, ReasoningContentBlockDelta). */
interface ReasoningDelta {
  readonly text?: unknown;
  readonly signature?: unknown;
  readonly redactedContent?: unknown;
}
