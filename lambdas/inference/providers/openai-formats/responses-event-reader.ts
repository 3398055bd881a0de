/** Reads the events of a Responses stream (OpenAI API reference, Streaming events) into stream parts of no protocol. */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { StreamPart } from '../../core/upstream/conversation.ts';
import { StreamPartBuilder } from '../../core/upstream/stream-part-builder.ts';
import { objectOf } from '../http-upstream.ts';
import { callOf, type ItemContext, partsOf, SUMMARY_BREAK, toFinish } from './items.ts';

/** The types of content that a text delta may belong to. */
type TextDeltaType = Parameters<StreamPartBuilder['textDelta']>[0];

/** An output item whose first event has arrived. */
interface OpenItem {
  /** Deltas of it have arrived, so the complete item adds nothing. */
  hasDeltas: boolean;
  hasEnded: boolean;
  /** The index of the summary part that arrives, or `unsummarized` for plain reasoning. */
  reasoningSource?: number | 'unsummarized';
  /** The index of the block of a tool call. */
  blockIndex?: number;
}

export class ResponsesEventReader {
  readonly #context: ItemContext;
  readonly #builder = new StreamPartBuilder();
  /** The open items by their `output_index`. */
  readonly #items = new Map<unknown, OpenItem>();
  #hasCalls = false;

  constructor(context: ItemContext) {
    this.#context = context;
  }

  /** The parts of one event; the last are those of an event that ends the response. */
  read(event: JsonObject): readonly StreamPart[] {
    const { output_index: outputIndex, delta } = event;
    switch (event.type) {
      case 'response.output_item.added':
        return this.#start(objectOf(event.item), outputIndex);
      case 'response.output_text.delta':
        return this.#textDelta('text', outputIndex, delta);
      case 'response.refusal.delta':
        return this.#textDelta('refusal', outputIndex, delta);
      case 'response.reasoning_summary_text.delta':
        return this.#summary(outputIndex, event);
      case 'response.reasoning_text.delta':
      // The name of it in Open Responses.
      case 'response.reasoning.delta':
        return this.#reasoning(outputIndex, delta);
      case 'response.function_call_arguments.delta':
        return this.#arguments(outputIndex, delta);
      case 'response.output_item.done':
        return this.#end(objectOf(event.item), outputIndex);
      case 'response.completed':
      case 'response.incomplete':
        return this.#finish(objectOf(event.response));
      default:
        return [];
    }
  }

  #at(outputIndex: unknown): OpenItem {
    const existingItem = this.#items.get(outputIndex);
    if (existingItem !== undefined) return existingItem;
    const openItem: OpenItem = { hasDeltas: false, hasEnded: false };
    this.#items.set(outputIndex, openItem);
    return openItem;
  }

  #start(item: JsonObject, outputIndex: unknown): readonly StreamPart[] {
    const openItem = this.#at(outputIndex);
    if (item.type !== 'function_call' || openItem.blockIndex !== undefined) return [];
    const { id, name } = callOf(item, outputIndex, this.#context);
    const { index, parts } = this.#builder.startToolCall(id, name);
    openItem.blockIndex = index;
    this.#hasCalls = true;
    return parts;
  }

  #textDelta(type: TextDeltaType, outputIndex: unknown, delta: unknown): StreamPart[] {
    if (typeof delta !== 'string' || delta === '') return [];
    this.#at(outputIndex).hasDeltas = true;
    return this.#builder.textDelta(type, delta);
  }

  /** Parts of a summary are one text. */
  #summary(outputIndex: unknown, { summary_index: index, delta }: JsonObject): StreamPart[] {
    const openItem = this.#at(outputIndex);
    if (openItem.reasoningSource === 'unsummarized') return [];
    const number = typeof index === 'number' ? index : 0;
    const isNext = openItem.hasDeltas && openItem.reasoningSource !== number;
    openItem.reasoningSource = number;
    return [
      ...(isNext ? this.#textDelta('reasoning', outputIndex, SUMMARY_BREAK) : []),
      ...this.#textDelta('reasoning', outputIndex, delta),
    ];
  }

  /**
   * Returns the stream parts for a delta of the reasoning itself. If there is also a summary, the first of both to
   * arrive is the text.
   */
  #reasoning(outputIndex: unknown, delta: unknown): StreamPart[] {
    const openItem = this.#at(outputIndex);
    if (typeof openItem.reasoningSource === 'number') return [];
    openItem.reasoningSource = 'unsummarized';
    return this.#textDelta('reasoning', outputIndex, delta);
  }

  #arguments(outputIndex: unknown, delta: unknown): StreamPart[] {
    const openItem = this.#at(outputIndex);
    if (typeof delta !== 'string' || delta === '' || openItem.blockIndex === undefined) return [];
    openItem.hasDeltas = true;
    return this.#builder.argumentsDelta(openItem.blockIndex, delta);
  }

  /** Returns the content of a complete item that has not arrived yet, and its end. */
  #end(item: JsonObject, outputIndex: unknown): readonly StreamPart[] {
    const openItem = this.#at(outputIndex);
    if (openItem.hasEnded) return [];
    const parts = [...this.#start(item, outputIndex)];
    openItem.hasEnded = true;
    for (const part of partsOf(item, outputIndex, this.#context)) {
      if (part.type === 'tool-call') {
        if (!openItem.hasDeltas)
          parts.push(...this.#builder.argumentsDelta(openItem.blockIndex ?? -1, part.arguments));
        parts.push(...this.#builder.endToolCall(openItem.blockIndex ?? -1));
        continue;
      }
      if (!openItem.hasDeltas) parts.push(...this.#builder.textDelta(part.type, part.text));
      if (part.type === 'reasoning' && part.signature !== undefined)
        parts.push(...this.#builder.endReasoning(part.signature));
    }
    return [...parts, ...this.#builder.endText()];
  }

  #finish(response: JsonObject): StreamPart[] {
    return this.#builder.finish(toFinish(response, this.#hasCalls));
  }
}
