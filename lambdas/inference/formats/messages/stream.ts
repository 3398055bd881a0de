/**
 * A streamed answer as the events of the Messages protocol (Claude API docs, Streaming), which has one block open at
 * a time, while other protocols may give several tool calls in turns.
 */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { BlockStart, Finish, StreamPart } from '../../core/upstream/conversation.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';

export interface EventWriterOptions {
  /** The message as it begins. */
  readonly opening: () => JsonObject;
  /** Returns the fields that the end of the message changes. */
  readonly ending: (finish: Finish) => JsonObject;
}

/** A content block that is open or waits for its turn. */
interface Block {
  /** The block as it begins; of a reasoning it is known with the first of its text, or at its end. */
  readonly content: JsonObject | undefined;
  readonly delta: (text: string) => JsonObject;
  /** Its number in the answer. */
  readonly number: number;
  /** Returns whether the block is certain to be complete. */
  readonly isWhole: () => boolean;
  isOpen: boolean;
  /** Some of its text was sent. */
  isRead: boolean;
  hasEnded: boolean;
  /** Text that has arrived for the block and has not been sent. */
  held: string;
  /** The signature of reasoning that has ended. */
  signature?: string | undefined;
}

/**
 * Writes the first block as it comes. A block that begins before it has ended waits, together with all that comes for
 * it, until the first is whole: a text is when another block begins, a tool call when the stream says so, and not when its
 * arguments look complete.
 */
export class EventWriter {
  readonly #options: EventWriterOptions;
  /** The open block and those that wait, in the order of their start. */
  readonly #blocks: Block[] = [];
  #index = 0;
  #started = false;

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /**
   * The events of one part. Throws `UpstreamFailure` for arguments of a call that never began, and for more arguments
   * after a complete object whose block had to make way.
   */
  write(part: StreamPart): readonly JsonObject[] {
    const events: JsonObject[] = [];
    if (!this.#started) events.push({ type: 'message_start', message: this.#options.opening() });
    this.#started = true;
    this.#read(part);
    events.push(...this.#flush());
    if (part.type === 'finish') {
      const delta = this.#options.ending(part);
      // The figures are known only when the call is settled; whoever sends the event fills them in.
      events.push({ type: 'message_delta', delta, usage: { output_tokens: 0 } }, { type: 'message_stop' });
    }
    return events;
  }

  #read(part: StreamPart): void {
    switch (part.type) {
      case 'start':
        this.#blocks.push(toBlock(part.block, part.content));
        return;
      case 'delta':
        this.#delta(part.block, part.text);
        return;
      case 'end':
        for (const block of this.#blocks) if (block.number === part.block) block.signature = part.signature;
        this.#end(({ number }) => number === part.block);
        return;
      case 'finish':
        this.#end(() => true);
    }
  }

  #end(which: (block: Block) => boolean): void {
    for (const block of this.#blocks.filter(which)) block.hasEnded = true;
  }

  #delta(number: number, text: string): void {
    const block = this.#blocks.find((candidate) => candidate.number === number);
    if (block === undefined) {
      // White space after an object is not part of it.
      if (/[^ \t\r\n]/.test(text)) throw new UpstreamFailure('protocol');
      return;
    }
    block.held += text;
  }

  /** Everything that can be sent by now. */
  *#flush(): Generator<JsonObject> {
    for (let [block] = this.#blocks; block !== undefined; [block] = this.#blocks) {
      const index = this.#index;
      if (!block.isOpen) {
        const content = block.content ?? thoughtAsItBegins(block);
        if (content === undefined) return;
        yield { type: 'content_block_start', index, content_block: content };
      }
      block.isOpen = true;
      if (block.held !== '') {
        yield { type: 'content_block_delta', index, delta: block.delta(block.held) };
        block.isRead = true;
      }
      block.held = '';
      if (block.signature !== undefined && block.isRead)
        yield {
          type: 'content_block_delta',
          index,
          delta: { type: 'signature_delta', signature: block.signature },
        };
      const mustMakeWay = this.#blocks.length > 1 && block.isWhole();
      if (!block.hasEnded && !mustMakeWay) return;
      yield { type: 'content_block_stop', index };
      this.#blocks.shift();
      this.#index += 1;
    }
  }
}

const NEW = { isOpen: false, isRead: false, hasEnded: false, held: '' };

/** Reasoning that ends without a text has only its proof. */
function thoughtAsItBegins({ held, hasEnded, signature }: Block): JsonObject | undefined {
  if (held !== '') return { type: 'thinking', thinking: '', signature: '' };
  return hasEnded ? { type: 'redacted_thinking', data: signature ?? '' } : undefined;
}

function toBlock(number: number, content: BlockStart): Block {
  if (content.type === 'reasoning') return thoughtBlock(number);
  return content.type === 'tool-call' ? callBlock(number, content) : textBlock(number);
}

const thoughtBlock = (number: number): Block => ({
  ...NEW,
  content: undefined,
  delta: (text) => ({ type: 'thinking_delta', thinking: text }),
  number,
  isWhole: () => true,
});

const textBlock = (number: number): Block => ({
  ...NEW,
  content: { type: 'text', text: '' },
  delta: (text) => ({ type: 'text_delta', text }),
  number,
  isWhole: () => true,
});

function callBlock(number: number, { id, name }: Extract<BlockStart, { type: 'tool-call' }>): Block {
  return {
    ...NEW,
    content: { type: 'tool_use', id, name, input: {} },
    delta: (text) => ({ type: 'input_json_delta', partial_json: text }),
    number,
    isWhole: () => false,
  };
}
