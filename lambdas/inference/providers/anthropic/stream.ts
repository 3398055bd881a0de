/**
 * Reads a streamed response of a server of the Messages protocol: bytes -> SSE events -> route events (Claude API docs,
 * Streaming).
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Finish, StreamPart } from '../../core/upstream/conversation.ts';
import { type RouteEvent, UpstreamFailure } from '../../core/upstream/provider.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { isEventName, StreamPartBuilder } from '../../core/upstream/stream-part-builder.ts';
import { SignatureSealer } from '../claude/thinking-blocks.ts';
import { ToolUseNormalizer } from '../claude/tool-uses.ts';
import { messagesStopReason } from '../ends.ts';
import type { EventReader } from '../event-batches.ts';
import { objectOf, parseUpstreamEvent } from '../http-upstream.ts';
import { toEvent } from '../message-fields.ts';
import { textOf, textOfDelta, toFinish } from './content.ts';
import { callOf, isAnswerTool, isCall, type MessagesCallContext, outputOf, signatureOf } from './response.ts';
import { mergeUsage, toUsage } from './usage.ts';

/** The contents of one event, in terms that callers of both types share. */
type ParsedEvent = Omit<RouteEvent, 'nativeEvent' | 'parts'> & { readonly parts: readonly StreamPart[] };

const NOTHING: ParsedEvent = { outputText: '', hasOutput: false, parts: [] };

/**
 * Converts the data of server-sent events to route events. A caller of this protocol receives the same events with the
 * service's id and model name, any other receives stream parts. The response ends with `message_stop`.
 */
export class MessageStreamReader implements EventReader {
  readonly #context: MessagesCallContext;
  readonly #native: boolean;
  readonly #blockReader: ContentBlockReader;
  readonly #sealer: SignatureSealer;
  readonly #toolUses: ToolUseNormalizer;
  /** The indexes of the open blocks. */
  readonly #open = new Set<unknown>();
  #hasBlocks = false;
  #messageId: unknown;
  #usage: JsonObject | undefined;
  #hasCalls = false;
  /** The top-level changes that ended the message. */
  #finalDelta: JsonObject | undefined;
  #isComplete = false;

  constructor(context: MessagesCallContext) {
    this.#context = context;
    this.#native = context.payload.protocol === 'anthropic';
    this.#blockReader = new ContentBlockReader(context);
    this.#sealer = new SignatureSealer(context.signatures);
    this.#toolUses = new ToolUseNormalizer(context.identity.id);
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /**
   * Returns the route events of one event. Ignores an unknown event. Throws `UpstreamFailure` for an error, and for an
   * event out of order.
   */
  read(data: string): RouteEvent[] {
    const event = parseUpstreamEvent(data);
    // The service sends its own heartbeats to callers.
    if (event.type === 'ping') return [];
    const routeEvents = this.#toolUses.events(event).flatMap((each) => this.#routeEventsOf(each));
    this.#isComplete = event.type === 'message_stop';
    return routeEvents;
  }

  end(): readonly RouteEvent[] {
    if (!this.#isComplete) throw new UpstreamFailure('interrupted');
    return [];
  }

  #routeEventsOf(event: JsonObject): RouteEvent[] {
    const parsedEvent = this.#parse(event);
    if (parsedEvent === undefined) return [];
    const { parts, ...reading } = parsedEvent;
    if (!this.#native) return [{ ...reading, ...(parts.length === 0 ? {} : { parts }) }];
    // A change without a stop reason has counts for the service alone, and a caller takes the last change for the end.
    if (event.type === 'message_delta' && typeof objectOf(event.delta ?? {}).stop_reason !== 'string')
      return [reading];
    const nativeEvents = this.#sealer
      .seal(this.#withStopReason(event))
      .map((sealed) => toEvent(sealed, this.#context.identity));
    // A signature and the end of its block contain no output.
    return nativeEvents.map((nativeEvent) => ({ ...reading, nativeEvent }));
  }

  /** Returns the event with a reason in the protocol's own terms, if it has any. */
  #withStopReason(event: JsonObject): JsonObject {
    const { type, delta } = event;
    if (type !== 'message_delta' || !isJsonObject(delta) || typeof delta.stop_reason !== 'string')
      return event;
    return {
      ...event,
      delta: { ...delta, stop_reason: messagesStopReason(delta.stop_reason, this.#hasCalls) },
    };
  }

  #parse(event: JsonObject): ParsedEvent | undefined {
    switch (event.type) {
      case 'message_start':
        return this.#start(event);
      case 'content_block_start':
        return this.#startBlock(event);
      case 'content_block_delta':
        return this.#changeBlock(event);
      case 'content_block_stop':
        return this.#stopBlock(event);
      case 'message_delta':
        return this.#change(event);
      case 'message_stop':
        if (this.#finalDelta === undefined) throw new UpstreamFailure('protocol');
        return {
          outputText: '',
          hasOutput: true,
          parts: this.#blockReader.finish(toFinish(this.#finalDelta, this.#hasCalls)),
        };
      case 'error':
        throw new UpstreamFailure('interrupted');
      default:
        if (!isEventName(event.type)) throw new UpstreamFailure('protocol');
        return undefined;
    }
  }

  #start({ message }: JsonObject): ParsedEvent | undefined {
    const { id, usage: reported } = objectOf(message);
    if (this.#usage !== undefined) {
      // Some servers repeat the start of a message. Another message within it would be taken for its continuation.
      if (id !== this.#messageId || this.#hasBlocks) throw new UpstreamFailure('protocol');
      return undefined;
    }
    this.#messageId = id;
    // No output exists yet, whatever the event reports. A stream that is interrupted here counts only its prompt.
    const { output_tokens: _unwritten, ...input } = mergeUsage({}, reported);
    this.#usage = input;
    const usage = toUsage({ ...input, output_tokens: 0 }, false);
    return usage === undefined ? NOTHING : { ...NOTHING, usage };
  }

  #startBlock({ index, content_block: started }: JsonObject): ParsedEvent {
    this.#requireStart();
    const block = objectOf(started);
    this.#open.add(index);
    this.#hasBlocks = true;
    this.#hasCalls ||= isCall(block, this.#context.answerTool);
    const text = outputOf(block, this.#context.answerTool);
    const parts = this.#translate(() => this.#blockReader.start(index, block));
    const isOtherBlock = this.#native && block.type !== 'text' && block.type !== 'thinking';
    return { outputText: text, hasOutput: text !== '' || isOtherBlock || parts.length > 0, parts };
  }

  #changeBlock({ index, delta: changed }: JsonObject): ParsedEvent {
    this.#requireOpen(index);
    const delta = objectOf(changed);
    const text = textOfDelta(delta);
    const parts = this.#translate(() => this.#blockReader.change(index, delta));
    // Thoughts are output too, even where the caller gets none of them: a model that thinks for long is healthy.
    return { outputText: text, hasOutput: text !== '', parts };
  }

  #stopBlock({ index }: JsonObject): ParsedEvent {
    this.#requireOpen(index);
    this.#open.delete(index);
    const parts = this.#translate(() => this.#blockReader.stop(index));
    return { outputText: '', hasOutput: parts.some(({ type }) => type !== 'end'), parts };
  }

  #change({ delta: changed, usage: reported }: JsonObject): ParsedEvent {
    const delta = objectOf(changed ?? (reported && {}));
    this.#usage = mergeUsage(this.#requireStart(), reported);
    const usage = toUsage(this.#usage, this.#native);
    const hasEnded = typeof delta.stop_reason === 'string';
    if (hasEnded) {
      // Throws for a failure.
      toFinish(delta, this.#hasCalls);
      this.#finalDelta = delta;
    }
    return { ...NOTHING, hasOutput: hasEnded, ...(usage === undefined ? {} : { usage }) };
  }

  #requireStart(): JsonObject {
    if (this.#usage === undefined) throw new UpstreamFailure('protocol');
    return this.#usage;
  }

  #requireOpen(index: unknown): void {
    if (!this.#open.has(index)) throw new UpstreamFailure('protocol');
  }

  #translate(read: () => readonly StreamPart[]): readonly StreamPart[] {
    return this.#native ? [] : read();
  }
}

type OpenContentBlock =
  | { readonly kind: 'text' }
  /** A tool call, by the index of its content block. */
  | { readonly kind: 'call'; readonly index: number }
  /** The input of the answer tool, which is the text of the response. */
  | { readonly kind: 'answer'; empty: boolean }
  /** The block at its start, and the signature received since. */
  | { readonly kind: 'thought'; readonly opening: JsonObject; signature: string }
  /** A block that only this protocol has. */
  | { readonly kind: 'ignored' };

const IGNORED: OpenContentBlock = { kind: 'ignored' };

/** Content blocks as parts, of a message whose events come in their places. */
class ContentBlockReader {
  readonly #answerTool: string | undefined;
  readonly #signatures: Signatures;
  readonly #open = new Map<unknown, OpenContentBlock>();
  readonly #builder = new StreamPartBuilder();
  #hasAnswerTool = false;

  constructor({ answerTool, signatures }: MessagesCallContext) {
    this.#answerTool = answerTool;
    this.#signatures = signatures;
  }

  start(index: unknown, block: JsonObject): StreamPart[] {
    const [opened, started] = this.#openBlock(block);
    this.#open.set(index, opened);
    // Some servers give the input whole; the name is no part of it.
    return [...started, ...this.#deliver(opened, textOf({ ...block, name: '' }))];
  }

  #openBlock(block: JsonObject): [OpenContentBlock, readonly StreamPart[]] {
    if (block.type === 'text') return [{ kind: 'text' }, []];
    if (block.type === 'thinking' || block.type === 'redacted_thinking')
      return [{ kind: 'thought', opening: block, signature: '' }, []];
    if (block.type !== 'tool_use') return [IGNORED, []];
    if (!isAnswerTool(block.name, this.#answerTool)) {
      const { id, name } = callOf(block);
      const call = this.#builder.startToolCall(id, name);
      return [{ kind: 'call', index: call.index }, call.parts];
    }
    // The answer is one object. A second one is ignored.
    if (this.#hasAnswerTool) return [IGNORED, []];
    this.#hasAnswerTool = true;
    return [{ kind: 'answer', empty: true }, []];
  }

  change(index: unknown, { type, text, thinking, partial_json: json, signature }: JsonObject): StreamPart[] {
    const block = this.#open.get(index) ?? IGNORED;
    if (type === 'text_delta') return this.#deliver(block, text);
    if (type === 'thinking_delta') return this.#deliver(block, thinking);
    if (type === 'input_json_delta') return this.#deliver(block, json);
    if (type === 'signature_delta' && block.kind === 'thought' && typeof signature === 'string')
      block.signature += signature;
    return [];
  }

  stop(index: unknown): StreamPart[] {
    const block = this.#open.get(index) ?? IGNORED;
    this.#open.delete(index);
    if (block.kind === 'ignored') return [];
    if (block.kind === 'call') return this.#builder.endToolCall(block.index);
    if (block.kind === 'thought') return this.#endThought(block);
    const missing = block.kind === 'answer' && block.empty ? this.#deliver(block, '{}') : [];
    return [...missing, ...this.#builder.endText()];
  }

  #endThought({ opening, signature }: Extract<OpenContentBlock, { kind: 'thought' }>): StreamPart[] {
    const sealedSignature = signatureOf(
      signature === '' ? opening : { ...opening, signature },
      this.#signatures,
    );
    return sealedSignature === undefined
      ? this.#builder.endText()
      : this.#builder.endReasoning(sealedSignature);
  }

  finish(finish: Finish): StreamPart[] {
    return this.#builder.finish(finish);
  }

  /** Returns the stream parts for a text that arrived for a block. */
  #deliver(block: OpenContentBlock, text: unknown): StreamPart[] {
    if (typeof text !== 'string' || text === '' || block.kind === 'ignored') return [];
    if (block.kind === 'call') return this.#builder.argumentsDelta(block.index, text);
    if (block.kind === 'answer') block.empty = false;
    return this.#builder.textDelta(block.kind === 'thought' ? 'reasoning' : 'text', text);
  }
}
