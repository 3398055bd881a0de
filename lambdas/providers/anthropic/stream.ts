/** A streamed answer of a server of the Messages protocol: bytes -> events -> reply events (Claude API docs, Streaming). */

import { isEventName } from '../../core/inference/completions/messages/event-name.ts';
import type { StreamPart } from '../../core/inference/upstream/conversation.ts';
import { type ReplyEvent, UpstreamFailure } from '../../core/inference/upstream/provider.ts';
import type { JsonObject } from '../../core/json/lossless-json.ts';
import { drain, objectOf, parseEvent } from '../http-upstream.ts';
import { toEvent } from '../message-fields.ts';
import { textOfDelta, toFinish } from './content.ts';
import { type Asked, callOf, isAnswer, outputOf } from './response.ts';
import { mergeUsage, toUsage } from './usage.ts';

/**
 * Turns the data of server-sent events into reply events: the same events under our own id and model name for a
 * caller of this protocol, else parts. Ends normally only after `message_stop`; throws `UpstreamFailure` otherwise.
 */
export async function* toReplyEvents(
  data: AsyncIterable<string>,
  asked: Asked,
): AsyncGenerator<ReplyEvent, void> {
  const iterator = data[Symbol.asyncIterator]();
  const message = new MessageReader(asked);
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
  readonly #asked: Asked;
  readonly #native: boolean;
  readonly #parts: PartReader;
  /** The places of the blocks that have begun and not ended. */
  readonly #open = new Set<unknown>();
  #usage: JsonObject | undefined;
  /** The top-level changes that ended the message. */
  #end: JsonObject | undefined;

  constructor(asked: Asked) {
    this.#asked = asked;
    this.#native = asked.payload.protocol === 'anthropic';
    this.#parts = new PartReader(asked.answerTool);
  }

  /** Throws `UpstreamFailure` for an error, and for an event that is not one of a message or not in its place. */
  read(event: JsonObject): ReplyEvent {
    const { parts, ...reading } = this.#reading(event);
    if (!this.#native) return { ...reading, ...(parts.length === 0 ? {} : { parts }) };
    return { ...reading, payload: toEvent(event, this.#asked.identity) };
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
        return { text: '', content: true, parts: [this.#parts.finish(this.#end)] };
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
    const text = outputOf(block, this.#asked.answerTool);
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
    return { text: '', content: parts.some(({ type }) => type === 'text-delta'), parts };
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
  | { readonly kind: 'call'; readonly index: number }
  /** A tool's input that is the answer's text. */
  | { readonly kind: 'answer'; empty: boolean }
  /** Thoughts and what else only this protocol knows. */
  | { readonly kind: 'unsaid' };

/** Content blocks as parts. */
class PartReader {
  readonly #answerTool: string | undefined;
  readonly #blocks = new Map<unknown, Block>();
  #calls = 0;
  #answered = false;

  constructor(answerTool: string | undefined) {
    this.#answerTool = answerTool;
  }

  start(index: unknown, block: JsonObject): StreamPart[] {
    const opened = this.#open(block);
    this.#blocks.set(index, opened);
    const begun: StreamPart[] =
      opened.kind === 'call' ? [{ type: 'tool-call-start', index: opened.index, ...callOf(block) }] : [];
    const { input } = block;
    // Some servers give the input whole.
    const whole = typeof input === 'object' && input !== null && Object.keys(input).length > 0;
    return [
      ...begun,
      ...delivery(opened, opened.kind === 'text' ? block.text : whole && JSON.stringify(input)),
    ];
  }

  #open({ type, name }: JsonObject): Block {
    if (type === 'text') return { kind: 'text' };
    if (type !== 'tool_use') return { kind: 'unsaid' };
    if (!isAnswer(name, this.#answerTool)) {
      this.#calls += 1;
      return { kind: 'call', index: this.#calls - 1 };
    }
    // The answer is one object; a second is ignored.
    if (this.#answered) return { kind: 'unsaid' };
    this.#answered = true;
    return { kind: 'answer', empty: true };
  }

  change(index: unknown, { type, text, partial_json: json }: JsonObject): StreamPart[] {
    const block = this.#block(index);
    if (type === 'text_delta') return delivery(block, text);
    return type === 'input_json_delta' ? delivery(block, json) : [];
  }

  stop(index: unknown): StreamPart[] {
    const block = this.#block(index);
    this.#blocks.delete(index);
    if (block.kind === 'unsaid') return [];
    if (block.kind === 'call') return [{ type: 'tool-call-end', index: block.index }];
    const missing = block.kind === 'answer' && block.empty ? delivery(block, '{}') : [];
    return [...missing, { type: 'text-end' }];
  }

  finish(end: JsonObject): StreamPart {
    return { type: 'finish', ...toFinish(end, this.#answered && this.#calls === 0) };
  }

  #block(index: unknown): Block {
    const block = this.#blocks.get(index);
    if (block === undefined) throw new UpstreamFailure('protocol');
    return block;
  }
}

/** What a block gives of a text that came for it. */
function delivery(block: Block, text: unknown): StreamPart[] {
  if (typeof text !== 'string' || text === '' || block.kind === 'unsaid') return [];
  if (block.kind === 'call') return [{ type: 'tool-call-delta', index: block.index, arguments: text }];
  if (block.kind === 'answer') block.empty = false;
  return [{ type: 'text-delta', text }];
}
