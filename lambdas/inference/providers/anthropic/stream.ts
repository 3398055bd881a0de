/** A streamed answer of a server of the Messages protocol: bytes -> events -> reply events (Claude API docs, Streaming). */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Signatures } from '../../core/upstream/capsules.ts';
import type { StreamPart } from '../../core/upstream/conversation.ts';
import { type ReplyEvent, UpstreamFailure } from '../../core/upstream/provider.ts';
import { isEventName, StreamBlocks } from '../../core/upstream/stream-blocks.ts';
import { SignatureSealer } from '../claude/thinking-blocks.ts';
import { drain, objectOf, parseEvent } from '../http-upstream.ts';
import { toEvent } from '../message-fields.ts';
import { textOf, textOfDelta, toFinish } from './content.ts';
import { callOf, isAnswer, type MessagesCallContext, outputOf, signatureOf } from './response.ts';
import { mergeUsage, toUsage } from './usage.ts';

/**
 * Turns the data of server-sent events into reply events: the same events under our own id and model name for a
 * caller of this protocol, else parts. Ends normally only after `message_stop`; throws `UpstreamFailure` otherwise.
 */
export async function* toReplyEvents(
  data: AsyncIterable<string>,
  context: MessagesCallContext,
): AsyncGenerator<ReplyEvent, void> {
  const iterator = data[Symbol.asyncIterator]();
  const message = new MessageReader(context);
  let open = true;
  try {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      const event = parseEvent(next.value);
      // The service keeps its callers' connections alive itself.
      if (event.type === 'ping') continue;
      const replies = message.read(event);
      const isLast = event.type === 'message_stop';
      if (isLast) {
        open = false;
        // The body's last bytes are read in the background, so that the connection can be used again.
        void drain(iterator);
      }
      for (const reply of replies) yield reply;
      if (isLast) return;
    }
    open = false;
  } finally {
    if (open) await iterator.return?.();
  }
  throw new UpstreamFailure('interrupted');
}

/** The contents of one event, in terms that callers of both types share. */
type Reading = Omit<ReplyEvent, 'payload' | 'parts'> & { readonly parts: readonly StreamPart[] };

const NOTHING: Reading = { text: '', content: false, parts: [] };

class MessageReader {
  readonly #context: MessagesCallContext;
  readonly #native: boolean;
  readonly #parts: PartReader;
  readonly #sealer: SignatureSealer;
  /** The places of the blocks that have begun and not ended. */
  readonly #open = new Set<unknown>();
  #usage: JsonObject | undefined;
  /** The top-level changes that ended the message. */
  #end: JsonObject | undefined;

  constructor(context: MessagesCallContext) {
    this.#context = context;
    this.#native = context.payload.protocol === 'anthropic';
    this.#parts = new PartReader(context);
    this.#sealer = new SignatureSealer(context.signatures);
  }

  /** Nothing of an event that is not known. Throws `UpstreamFailure` for an error, and for an event out of its place. */
  read(event: JsonObject): ReplyEvent[] {
    const said = this.#reading(event);
    if (said === undefined) return [];
    const { parts, ...reading } = said;
    if (!this.#native) return [{ ...reading, ...(parts.length === 0 ? {} : { parts }) }];
    const payloads = this.#sealer.seal(event).map((sealed) => toEvent(sealed, this.#context.identity));
    // A signature and the end of its block carry no output.
    return payloads.map((payload) => ({ ...reading, payload }));
  }

  #reading(event: JsonObject): Reading | undefined {
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
        if (this.#end === undefined) throw new UpstreamFailure('protocol');
        return { text: '', content: true, parts: this.#parts.finish(this.#end) };
      case 'error':
        throw new UpstreamFailure('interrupted');
      default:
        if (!isEventName(event.type)) throw new UpstreamFailure('protocol');
        return undefined;
    }
  }

  #start({ message }: JsonObject): Reading {
    if (this.#usage !== undefined) throw new UpstreamFailure('protocol');
    // The output is not written yet, whatever is said of it: a stream that breaks off has counted its prompt alone.
    const { output_tokens: _unwritten, ...input } = mergeUsage({}, objectOf(message).usage);
    this.#usage = input;
    const usage = toUsage({ ...input, output_tokens: 0 }, false);
    return usage === undefined ? NOTHING : { ...NOTHING, usage };
  }

  #startBlock({ index, content_block: started }: JsonObject): Reading {
    this.#requireStart();
    const block = objectOf(started);
    this.#open.add(index);
    const text = outputOf(block, this.#context.answerTool);
    const parts = this.#translate(() => this.#parts.start(index, block));
    const isOtherBlock = this.#native && block.type !== 'text' && block.type !== 'thinking';
    return { text, content: text !== '' || isOtherBlock || parts.length > 0, parts };
  }

  #changeBlock({ index, delta: changed }: JsonObject): Reading {
    this.#requireOpen(index);
    const delta = objectOf(changed);
    const text = textOfDelta(delta);
    const parts = this.#translate(() => this.#parts.change(index, delta));
    // Thoughts are output too, even where the caller gets none of them: a model that thinks for long is healthy.
    return { text, content: text !== '', parts };
  }

  #stopBlock({ index }: JsonObject): Reading {
    this.#requireOpen(index);
    this.#open.delete(index);
    const parts = this.#translate(() => this.#parts.stop(index));
    return { text: '', content: parts.some(({ type }) => type !== 'end'), parts };
  }

  #change({ delta: changed, usage: reported }: JsonObject): Reading {
    const delta = objectOf(changed);
    this.#usage = mergeUsage(this.#requireStart(), reported);
    const usage = toUsage(this.#usage, this.#native);
    const ended = typeof delta.stop_reason === 'string';
    if (ended) this.#end = delta;
    return { ...NOTHING, content: ended, ...(usage === undefined ? {} : { usage }) };
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

type Block =
  | { readonly kind: 'text' }
  /** A tool call, by the index of its content block. */
  | { readonly kind: 'call'; readonly block: number }
  /** A tool's input that is the answer's text. */
  | { readonly kind: 'answer'; empty: boolean }
  /** As it began, and with what has come of its signature since. */
  | { readonly kind: 'thought'; readonly began: JsonObject; signature: string }
  /** A block that only this protocol has. */
  | { readonly kind: 'ignored' };

const IGNORED: Block = { kind: 'ignored' };

/** Content blocks as parts, of a message whose events come in their places. */
class PartReader {
  readonly #answerTool: string | undefined;
  readonly #signatures: Signatures;
  readonly #open = new Map<unknown, Block>();
  readonly #blocks = new StreamBlocks();
  #hasCalls = false;
  #answered = false;

  constructor({ answerTool, signatures }: MessagesCallContext) {
    this.#answerTool = answerTool;
    this.#signatures = signatures;
  }

  start(index: unknown, block: JsonObject): StreamPart[] {
    const [opened, started] = this.#begin(block);
    this.#open.set(index, opened);
    // Some servers give the input whole; the name is no part of it.
    return [...started, ...this.#deliver(opened, textOf({ ...block, name: '' }))];
  }

  #begin(block: JsonObject): [Block, readonly StreamPart[]] {
    if (block.type === 'text') return [{ kind: 'text' }, []];
    if (block.type === 'thinking' || block.type === 'redacted_thinking')
      return [{ kind: 'thought', began: block, signature: '' }, []];
    if (block.type !== 'tool_use') return [IGNORED, []];
    if (!isAnswer(block.name, this.#answerTool)) {
      this.#hasCalls = true;
      const { id, name } = callOf(block);
      const call = this.#blocks.startCall(id, name);
      return [{ kind: 'call', block: call.block }, call.parts];
    }
    // The answer is one object; a second is ignored.
    if (this.#answered) return [IGNORED, []];
    this.#answered = true;
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
    if (block.kind === 'call') return this.#blocks.endCall(block.block);
    if (block.kind === 'thought') return this.#endThought(block);
    const missing = block.kind === 'answer' && block.empty ? this.#deliver(block, '{}') : [];
    return [...missing, ...this.#blocks.endText()];
  }

  #endThought({ began, signature }: Extract<Block, { kind: 'thought' }>): StreamPart[] {
    const proof = signatureOf(signature === '' ? began : { ...began, signature }, this.#signatures);
    return proof === undefined ? this.#blocks.endText() : this.#blocks.endReasoning(proof);
  }

  finish(end: JsonObject): StreamPart[] {
    return this.#blocks.finish(toFinish(end, this.#answered && !this.#hasCalls));
  }

  /** Returns the stream parts for a text that arrived for a block. */
  #deliver(block: Block, text: unknown): StreamPart[] {
    if (typeof text !== 'string' || text === '' || block.kind === 'ignored') return [];
    if (block.kind === 'call') return this.#blocks.arguments(block.block, text);
    if (block.kind === 'answer') block.empty = false;
    return this.#blocks.text(block.kind === 'thought' ? 'reasoning' : 'text', text);
  }
}
