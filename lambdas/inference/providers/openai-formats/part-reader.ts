/** Reads the events of a Responses stream (OpenAI API reference, Streaming events) into stream parts of no protocol. */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { StreamPart } from '../../core/upstream/conversation.ts';
import { StreamBlocks } from '../../core/upstream/stream-blocks.ts';
import { objectOf } from '../http-upstream.ts';
import { callOf, type ItemContext, itemsOf, partsOf, SUMMARY_BREAK, toFinish } from './items.ts';

/** The types of content that a text delta may belong to. */
type Prose = Parameters<StreamBlocks['text']>[0];

/** An output item whose first event has arrived. */
interface OpenItem {
  /** Deltas of it have arrived, so the complete item adds nothing. */
  delivered: boolean;
  ended: boolean;
  /** The index of the summary part that arrives, or `unsummarized` for plain reasoning. */
  thought?: number | 'unsummarized';
  /** The content part of a tool call. */
  block?: number;
}

export class PartReader {
  readonly #context: ItemContext;
  readonly #blocks = new StreamBlocks();
  /** The open items by their `output_index`. */
  readonly #items = new Map<unknown, OpenItem>();
  #hasCalls = false;

  constructor(context: ItemContext) {
    this.#context = context;
  }

  /** The parts of one event; the last are those of an event that ends the response. */
  read(event: JsonObject): readonly StreamPart[] {
    const { output_index: place, delta } = event;
    switch (event.type) {
      case 'response.output_item.added':
        return this.#begin(objectOf(event.item), place);
      case 'response.output_text.delta':
        return this.#prose('text', place, delta);
      case 'response.refusal.delta':
        return this.#prose('refusal', place, delta);
      case 'response.reasoning_summary_text.delta':
        return this.#summary(place, event);
      case 'response.reasoning_text.delta':
      // The name of it in Open Responses.
      case 'response.reasoning.delta':
        return this.#reasoning(place, delta);
      case 'response.function_call_arguments.delta':
        return this.#arguments(place, delta);
      case 'response.output_item.done':
        return this.#end(objectOf(event.item), place);
      case 'response.completed':
      case 'response.incomplete':
        return this.#finish(objectOf(event.response));
      default:
        return [];
    }
  }

  #at(place: unknown): OpenItem {
    const known = this.#items.get(place);
    if (known !== undefined) return known;
    const begun: OpenItem = { delivered: false, ended: false };
    this.#items.set(place, begun);
    return begun;
  }

  #begin(item: JsonObject, place: unknown): readonly StreamPart[] {
    const begun = this.#at(place);
    if (item.type !== 'function_call' || begun.block !== undefined) return [];
    const { id, name } = callOf(item, place, this.#context);
    const { block, parts } = this.#blocks.startCall(id, name);
    begun.block = block;
    this.#hasCalls = true;
    return parts;
  }

  #prose(type: Prose, place: unknown, delta: unknown): StreamPart[] {
    if (typeof delta !== 'string' || delta === '') return [];
    this.#at(place).delivered = true;
    return this.#blocks.text(type, delta);
  }

  /** Parts of a summary are one text. */
  #summary(place: unknown, { summary_index: index, delta }: JsonObject): StreamPart[] {
    const begun = this.#at(place);
    if (begun.thought === 'unsummarized') return [];
    const number = typeof index === 'number' ? index : 0;
    const isNext = begun.delivered && begun.thought !== number;
    begun.thought = number;
    return [
      ...(isNext ? this.#prose('reasoning', place, SUMMARY_BREAK) : []),
      ...this.#prose('reasoning', place, delta),
    ];
  }

  /**
   * Returns the stream parts for a delta of the reasoning itself. If there is also a summary, the first of both to
   * arrive is the text.
   */
  #reasoning(place: unknown, delta: unknown): StreamPart[] {
    const begun = this.#at(place);
    if (typeof begun.thought === 'number') return [];
    begun.thought = 'unsummarized';
    return this.#prose('reasoning', place, delta);
  }

  #arguments(place: unknown, delta: unknown): StreamPart[] {
    const begun = this.#at(place);
    if (typeof delta !== 'string' || delta === '' || begun.block === undefined) return [];
    begun.delivered = true;
    return this.#blocks.arguments(begun.block, delta);
  }

  /** Returns the content of a complete item that has not arrived yet, and its end. */
  #end(item: JsonObject, place: unknown): readonly StreamPart[] {
    const begun = this.#at(place);
    if (begun.ended) return [];
    const parts = [...this.#begin(item, place)];
    begun.ended = true;
    for (const part of partsOf(item, place, this.#context)) {
      if (part.type === 'tool-call') {
        if (!begun.delivered) parts.push(...this.#blocks.arguments(begun.block ?? -1, part.arguments));
        parts.push(...this.#blocks.endCall(begun.block ?? -1));
        continue;
      }
      if (!begun.delivered) parts.push(...this.#blocks.text(part.type, part.text));
      if (part.type === 'reasoning' && part.signature !== undefined)
        parts.push(...this.#blocks.endReasoning(part.signature));
    }
    return [...parts, ...this.#blocks.endText()];
  }

  #finish(response: JsonObject): StreamPart[] {
    const rest = itemsOf(response.output ?? []).flatMap((item, place) => this.#end(item, place));
    return [...rest, ...this.#blocks.finish(toFinish(response, this.#hasCalls))];
  }
}
