/**
 * Writes a streamed response as the events of the Messages protocol (Claude API docs, Streaming). This protocol has one
 * open block at a time, while other protocols may interleave several tool calls.
 */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { ContentStart, Finish, StreamPart } from '../../core/upstream/conversation.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';

export interface EventWriterOptions {
  /** Returns the message at its start. */
  readonly opening: () => JsonObject;
  /** Returns the fields that the end of the message changes. */
  readonly ending: (finish: Finish) => JsonObject;
}

/** A content block that is open or waits for its turn. */
interface PendingBlock {
  /** The block at its start. For reasoning, it is set with the first text or at its end. */
  readonly content: JsonObject | undefined;
  readonly delta: (text: string) => JsonObject;
  /** The index of the block in the response. */
  readonly index: number;
  /** Returns whether the block is certain to be complete. */
  readonly isComplete: () => boolean;
  isOpen: boolean;
  /** Some of its text was sent. */
  hasSentText: boolean;
  hasEnded: boolean;
  /** Text that has arrived for the block and has not been sent. */
  bufferedText: string;
  /** The signature of reasoning that has ended. */
  signature?: string | undefined;
}

/**
 * Writes the first open block as its deltas arrive. A block that starts before the first one ends is buffered with its
 * deltas until the first is complete. A text is complete when another block starts. A tool call is complete when the
 * stream ends it, not when its arguments look complete.
 */
export class MessagesEventWriter {
  readonly #options: EventWriterOptions;
  /** The open block and those that wait, in the order of their start. */
  readonly #blocks: PendingBlock[] = [];
  #index = 0;
  #started = false;

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /**
   * Returns the events of one stream part. Throws `UpstreamFailure` for arguments of a call that never started. Also
   * throws it for arguments after a complete object if the block was already closed for another.
   */
  write(part: StreamPart): readonly JsonObject[] {
    const events: JsonObject[] = [];
    if (!this.#started) events.push({ type: 'message_start', message: this.#options.opening() });
    this.#started = true;
    this.#read(part);
    events.push(...this.#flush());
    if (part.type === 'finish') {
      const delta = this.#options.ending(part);
      // The usage is known only after the settlement. The sender of the event inserts it.
      events.push({ type: 'message_delta', delta, usage: { output_tokens: 0 } }, { type: 'message_stop' });
    }
    return events;
  }

  #read(part: StreamPart): void {
    switch (part.type) {
      case 'start':
        this.#blocks.push(toPendingBlock(part.index, part.content));
        return;
      case 'delta':
        this.#delta(part.index, part.text);
        return;
      case 'end':
        for (const block of this.#blocks) if (block.index === part.index) block.signature = part.signature;
        this.#endBlocks(({ index }) => index === part.index);
        return;
      case 'finish':
        this.#endBlocks(() => true);
    }
  }

  #endBlocks(which: (block: PendingBlock) => boolean): void {
    for (const block of this.#blocks.filter(which)) block.hasEnded = true;
  }

  #delta(index: number, text: string): void {
    const block = this.#blocks.find((candidate) => candidate.index === index);
    if (block === undefined) {
      // White space after an object is not part of it.
      if (/[^ \t\r\n]/.test(text)) throw new UpstreamFailure('protocol');
      return;
    }
    block.bufferedText += text;
  }

  /** Everything that can be sent by now. */
  *#flush(): Generator<JsonObject> {
    for (let [block] = this.#blocks; block !== undefined; [block] = this.#blocks) {
      const index = this.#index;
      if (!block.isOpen) {
        const content = block.content ?? thinkingStartOf(block);
        if (content === undefined) return;
        yield { type: 'content_block_start', index, content_block: content };
      }
      block.isOpen = true;
      if (block.bufferedText !== '') {
        yield { type: 'content_block_delta', index, delta: block.delta(block.bufferedText) };
        block.hasSentText = true;
      }
      block.bufferedText = '';
      if (block.signature !== undefined && block.hasSentText)
        yield {
          type: 'content_block_delta',
          index,
          delta: { type: 'signature_delta', signature: block.signature },
        };
      const mustEnd = this.#blocks.length > 1 && block.isComplete();
      if (!block.hasEnded && !mustEnd) return;
      yield { type: 'content_block_stop', index };
      this.#blocks.shift();
      this.#index += 1;
    }
  }
}

const NEW = { isOpen: false, hasSentText: false, hasEnded: false, bufferedText: '' };

/** Returns the start of a reasoning block. Reasoning that ends without text has only its signature. */
function thinkingStartOf({ bufferedText, hasEnded, signature }: PendingBlock): JsonObject | undefined {
  if (bufferedText !== '') return { type: 'thinking', thinking: '', signature: '' };
  return hasEnded ? { type: 'redacted_thinking', data: signature ?? '' } : undefined;
}

function toPendingBlock(index: number, content: ContentStart): PendingBlock {
  if (content.type === 'reasoning') return thinkingBlock(index);
  return content.type === 'tool-call' ? toolUseBlock(index, content) : textBlock(index);
}

const thinkingBlock = (index: number): PendingBlock => ({
  ...NEW,
  content: undefined,
  delta: (text) => ({ type: 'thinking_delta', thinking: text }),
  index,
  isComplete: () => true,
});

const textBlock = (index: number): PendingBlock => ({
  ...NEW,
  content: { type: 'text', text: '' },
  delta: (text) => ({ type: 'text_delta', text }),
  index,
  isComplete: () => true,
});

function toolUseBlock(
  index: number,
  { id, name }: Extract<ContentStart, { type: 'tool-call' }>,
): PendingBlock {
  return {
    ...NEW,
    content: { type: 'tool_use', id, name, input: {} },
    delta: (text) => ({ type: 'input_json_delta', partial_json: text }),
    index,
    isComplete: () => false,
  };
}
