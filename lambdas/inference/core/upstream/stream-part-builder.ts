/** Builds the stream parts of a response. Numbers, starts and ends its blocks by the rules of `StreamPart`. */
import type { ContentStart, Finish, StreamPart } from './conversation.ts';

type TextType = Exclude<ContentStart['type'], 'tool-call'>;

export class StreamPartBuilder {
  #nextIndex = 0;
  /** The open block that is no tool call. */
  #openText: { readonly type: TextType; readonly index: number } | undefined;
  readonly #openToolCalls = new Set<number>();

  /** Appends text to the open block of this type, or starts one. Empty text adds nothing. */
  textDelta(type: TextType, text: string): StreamPart[] {
    if (text === '') return [];
    const started = this.#openText?.type === type ? [] : this.#startText(type);
    return [...started, { type: 'delta', index: this.#openText?.index ?? 0, text }];
  }

  /** Ends the open block that is no tool call, if there is one. */
  endText(): StreamPart[] {
    const ended = this.#openText;
    this.#openText = undefined;
    return ended === undefined ? [] : [{ type: 'end', index: ended.index }];
  }

  /** Ends the reasoning with its signature. Reasoning without text starts here. */
  endReasoning(signature: string): StreamPart[] {
    const started = this.#openText?.type === 'reasoning' ? [] : this.#startText('reasoning');
    const index = this.#openText?.index ?? 0;
    this.#openText = undefined;
    return [...started, { type: 'end', index, signature }];
  }

  /** Starts a tool call; others may still be open. Returns the index of its block too. */
  startToolCall(id: string, name: string): { readonly index: number; readonly parts: readonly StreamPart[] } {
    const ended = this.endText();
    const index = this.#takeIndex();
    this.#openToolCalls.add(index);
    return { index, parts: [...ended, { type: 'start', index, content: { type: 'tool-call', id, name } }] };
  }

  /** Appends a delta to the arguments of a tool call. */
  argumentsDelta(index: number, text: string): StreamPart[] {
    return text === '' || !this.#openToolCalls.has(index) ? [] : [{ type: 'delta', index, text }];
  }

  endToolCall(index: number): StreamPart[] {
    return this.#openToolCalls.delete(index) ? [{ type: 'end', index }] : [];
  }

  /** Ends all open blocks, and the response. */
  finish(finish: Finish): StreamPart[] {
    const toolCalls = [...this.#openToolCalls].flatMap((index) => this.endToolCall(index));
    return [...this.endText(), ...toolCalls, { type: 'finish', ...finish }];
  }

  #startText(type: TextType): StreamPart[] {
    const ended = this.endText();
    const index = this.#takeIndex();
    this.#openText = { type, index };
    return [...ended, { type: 'start', index, content: { type } }];
  }

  #takeIndex(): number {
    this.#nextIndex += 1;
    return this.#nextIndex - 1;
  }
}

/** Names of the events of a Messages stream. */
const EVENT_NAME = /^[a-z_]{1,64}$/;

/** Returns whether a route's text can be the name of an event. No other text may be outside the data of an event. */
export const isEventName = (type: unknown): type is string =>
  typeof type === 'string' && EVENT_NAME.test(type);
