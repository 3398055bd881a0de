/** The blocks of a streamed answer as a provider reads them: numbered, started and ended in the order of `StreamPart`. */
import type { BlockStart, Finish, StreamPart } from './conversation.ts';

type Prose = Exclude<BlockStart['type'], 'tool-call'>;

export class StreamBlocks {
  #count = 0;
  /** The open block that is no tool call. */
  #open: { readonly type: Prose; readonly block: number } | undefined;
  readonly #calls = new Set<number>();

  /** A piece of text of a kind: it goes on with the open block of this kind, or starts one; an empty one is nothing. */
  text(type: Prose, text: string): StreamPart[] {
    if (text === '') return [];
    const opened = this.#open?.type === type ? [] : this.#start(type);
    return [...opened, { type: 'delta', block: this.#open?.block ?? 0, text }];
  }

  /** Ends the open block that is no tool call, if there is one. */
  endText(): StreamPart[] {
    const ended = this.#open;
    this.#open = undefined;
    return ended === undefined ? [] : [{ type: 'end', block: ended.block }];
  }

  /** Ends a reasoning with the proof of it; one that showed no text starts here. */
  endReasoning(signature: string): StreamPart[] {
    const opened = this.#open?.type === 'reasoning' ? [] : this.#start('reasoning');
    const block = this.#open?.block ?? 0;
    this.#open = undefined;
    return [...opened, { type: 'end', block, signature }];
  }

  /** Starts a tool call; others may still be open. The first part has its number. */
  startCall(id: string, name: string): { readonly block: number; readonly parts: readonly StreamPart[] } {
    const ended = this.endText();
    const block = this.#next();
    this.#calls.add(block);
    return { block, parts: [...ended, { type: 'start', block, content: { type: 'tool-call', id, name } }] };
  }

  /** A piece of a call's arguments. */
  arguments(block: number, text: string): StreamPart[] {
    return text === '' || !this.#calls.has(block) ? [] : [{ type: 'delta', block, text }];
  }

  endCall(block: number): StreamPart[] {
    return this.#calls.delete(block) ? [{ type: 'end', block }] : [];
  }

  /** Ends whatever is open, and the answer. */
  finish(finish: Finish): StreamPart[] {
    const calls = [...this.#calls].flatMap((block) => this.endCall(block));
    return [...this.endText(), ...calls, { type: 'finish', ...finish }];
  }

  #start(type: Prose): StreamPart[] {
    const ended = this.endText();
    const block = this.#next();
    this.#open = { type, block };
    return [...ended, { type: 'start', block, content: { type } }];
  }

  #next(): number {
    this.#count += 1;
    return this.#count - 1;
  }
}

/** Names of the events of a Messages stream. */
const EVENT_NAME = /^[a-z_]{1,64}$/;

/** Returns whether a route's text can be the name of an event. No other text may be outside the data of an event. */
export const isEventName = (type: unknown): type is string =>
  typeof type === 'string' && EVENT_NAME.test(type);
