/** A streamed answer of a server of the Messages protocol: bytes -> events -> reply events (Claude API docs, Streaming). */

import { isEventName } from '../../core/inference/completions/messages/event-name.ts';
import type { StreamPart } from '../../core/inference/upstream/conversation.ts';
import { type ReplyEvent, UpstreamFailure } from '../../core/inference/upstream/provider.ts';
import { StreamBlocks } from '../../core/inference/upstream/stream-blocks.ts';
import type { JsonObject } from '../../core/json/lossless-json.ts';
import { drain, objectOf, parseEvent } from '../http-upstream.ts';
import { toEvent } from '../message-fields.ts';
import { textOfDelta, toFinish } from './content.ts';
import { type CallContext, callOf, isAnswer, outputOf } from './response.ts';
import { mergeUsage, toUsage } from './usage.ts';

/**
 * Turns the data of server-sent events into reply events: the same events under our own id and model name for a
 * caller of this protocol, else parts. Ends normally only after `message_stop`; throws `UpstreamFailure` otherwise.
 */
export async function* toReplyEvents(
  data: AsyncIterable<string>,
  context: CallContext,
): AsyncGenerator<ReplyEvent, void> {
  const iterator = data[Symbol.asyncIterator]();
  const message = new MessageReader(context);
  let open = true;
  try {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      const event = parseEvent(next.value);
      // The service keeps its callers' connections alive itself.
      if (event.type === 'ping') continue;
      const reply = message.read(event);
      if (event.type !== 'message_stop') {
        yield reply;
        continue;
      }
      open = false;
      // The body's last bytes are read in the background, so that the connection can be used again.
      void drain(iterator);
      yield reply;
      return;
    }
    open = false;
  } finally {
    if (open) await iterator.return?.();
  }
  throw new UpstreamFailure('interrupted');
}

/** What one event says, in terms that both kinds of callers share. */
type Reading = Omit<ReplyEvent, 'payload' | 'parts'> & { readonly parts: readonly StreamPart[] };

const NOTHING: Reading = { text: '', content: false, parts: [] };

/** One message as its events come. */
class MessageReader {
  readonly #context: CallContext;
  readonly #native: boolean;
  readonly #parts: PartReader;
  /** The places of the blocks that have begun and not ended. */
  readonly #open = new Set<unknown>();
  #usage: JsonObject | undefined;
  /** The top-level changes that ended the message. */
  #end: JsonObject | undefined;

  constructor(context: CallContext) {
    this.#context = context;
    this.#native = context.payload.protocol === 'anthropic';
    this.#parts = new PartReader(context.answerTool);
  }

  /** Throws `UpstreamFailure` for an error, and for an event that is not one of a message or not in its place. */
  read(event: JsonObject): ReplyEvent {
    const { parts, ...reading } = this.#reading(event);
    if (!this.#native) return { ...reading, ...(parts.length === 0 ? {} : { parts }) };
    return { ...reading, payload: toEvent(event, this.#context.identity) };
  }

  #reading(event: JsonObject): Reading {
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
        return NOTHING;
    }
  }

  #start({ message }: JsonObject): Reading {
    if (this.#usage !== undefined) throw new UpstreamFailure('protocol');
    // The output is not written yet, whatever is said of it: a stream that breaks off has no figures of its own.
    const { output_tokens: _unwritten, ...input } = mergeUsage({}, objectOf(message).usage);
    this.#usage = input;
    return NOTHING;
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
    return { text: '', content: parts.some(({ type }) => type === 'delta'), parts };
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
  /** By its number in the answer. */
  | { readonly kind: 'call'; readonly block: number }
  /** A tool's input that is the answer's text. */
  | { readonly kind: 'answer'; empty: boolean }
  /** Thoughts and what else only this protocol knows. */
  | { readonly kind: 'ignored' };

/** Content blocks as parts. */
class PartReader {
  readonly #answerTool: string | undefined;
  readonly #open = new Map<unknown, Block>();
  readonly #blocks = new StreamBlocks();
  #hasCalls = false;
  #answered = false;

  constructor(answerTool: string | undefined) {
    this.#answerTool = answerTool;
  }

  start(index: unknown, block: JsonObject): StreamPart[] {
    const [opened, started] = this.#begin(block);
    this.#open.set(index, opened);
    const { input } = block;
    // Some servers give the input whole.
    const whole = typeof input === 'object' && input !== null && Object.keys(input).length > 0;
    const text = opened.kind === 'text' ? block.text : whole && JSON.stringify(input);
    return [...started, ...this.#deliver(opened, text)];
  }

  #begin(block: JsonObject): [Block, readonly StreamPart[]] {
    if (block.type === 'text') return [{ kind: 'text' }, []];
    if (block.type !== 'tool_use') return [{ kind: 'ignored' }, []];
    if (!isAnswer(block.name, this.#answerTool)) {
      this.#hasCalls = true;
      const { id, name } = callOf(block);
      const call = this.#blocks.startCall(id, name);
      return [{ kind: 'call', block: call.block }, call.parts];
    }
    // The answer is one object; a second is ignored.
    if (this.#answered) return [{ kind: 'ignored' }, []];
    this.#answered = true;
    return [{ kind: 'answer', empty: true }, []];
  }

  change(index: unknown, { type, text, partial_json: json }: JsonObject): StreamPart[] {
    const block = this.#blockAt(index);
    if (type === 'text_delta') return this.#deliver(block, text);
    return type === 'input_json_delta' ? this.#deliver(block, json) : [];
  }

  stop(index: unknown): StreamPart[] {
    const block = this.#blockAt(index);
    this.#open.delete(index);
    if (block.kind === 'ignored') return [];
    if (block.kind === 'call') return this.#blocks.endCall(block.block);
    const missing = block.kind === 'answer' && block.empty ? this.#deliver(block, '{}') : [];
    return [...missing, ...this.#blocks.endText()];
  }

  finish(end: JsonObject): StreamPart[] {
    return this.#blocks.finish(toFinish(end, this.#answered && !this.#hasCalls));
  }

  /** What a block gives of a text that came for it. */
  #deliver(block: Block, text: unknown): StreamPart[] {
    if (typeof text !== 'string' || text === '' || block.kind === 'ignored') return [];
    if (block.kind === 'call') return this.#blocks.arguments(block.block, text);
    if (block.kind === 'answer') block.empty = false;
    return this.#blocks.text('text', text);
  }

  #blockAt(index: unknown): Block {
    const block = this.#open.get(index);
    if (block === undefined) throw new UpstreamFailure('protocol');
    return block;
  }
}
