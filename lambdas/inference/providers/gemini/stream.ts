/**
 * Reads a streamed response of streamGenerateContent: events, each a separate response -> route events (Gemini API
 * reference).
 */

import type { StreamPart } from '../../core/upstream/conversation.ts';
import { type RouteEvent, UpstreamFailure } from '../../core/upstream/provider.ts';
import { StreamPartBuilder } from '../../core/upstream/stream-part-builder.ts';
import type { EventReader } from '../event-batches.ts';
import { parseUpstreamEvent } from '../http-upstream.ts';
import { failureOf } from './errors.ts';
import { type GeminiCallContext, GeminiPartReader, type PartContent, textOf, toFinish } from './response.ts';
import { toUsage } from './usage.ts';

/**
 * Converts the data of server-sent events to route events. The stream has no end marker. It is complete with its finish
 * reason and the usage that arrives with or after it.
 */
export class GeminiStreamReader implements EventReader {
  readonly #partReader: GeminiPartReader;
  readonly #builder = new StreamPartBuilder();
  #finished = false;
  #metered = false;

  constructor(context: GeminiCallContext) {
    this.#partReader = new GeminiPartReader(context);
  }

  get isComplete(): boolean {
    return this.#finished && this.#metered;
  }

  /** Throws if the body ended before a finish reason. Usage may be missing. */
  end(): readonly RouteEvent[] {
    if (!this.#finished) throw new UpstreamFailure('interrupted');
    return [];
  }

  /**
   * Returns the route event of one body. Throws `UpstreamFailure` for an error, and for an event that is not a
   * response.
   */
  read(data: string): readonly RouteEvent[] {
    const body = parseUpstreamEvent(data);
    if (body.error !== undefined) throw failureOf(body);
    const parsedParts = this.#finished ? [] : this.#partReader.read(body);
    const text = parsedParts.map(textOf).join('');
    const finish = this.#finished ? undefined : toFinish(body, this.#partReader.hasCalls);
    const parts = parsedParts.flatMap((parsedPart) => this.#partsOf(parsedPart));
    if (finish !== undefined) parts.push(...this.#builder.finish(finish));
    this.#finished ||= finish !== undefined;
    const usage = toUsage(body.usageMetadata);
    this.#metered = this.#finished && usage !== undefined;
    if (parts.length === 0 && usage === undefined) return [];
    const event: RouteEvent = {
      ...(parts.length === 0 ? {} : { parts }),
      outputText: text,
      hasOutput: parts.length > 0,
      ...(usage === undefined ? {} : { usage }),
    };
    return [event];
  }

  /** Calls come whole. */
  #partsOf(parsedPart: PartContent): StreamPart[] {
    if (parsedPart.type !== 'call') return this.#builder.textDelta(parsedPart.type, parsedPart.text);
    const reasoningParts =
      parsedPart.signature === undefined ? [] : this.#builder.endReasoning(parsedPart.signature);
    const { index, parts } = this.#builder.startToolCall(parsedPart.id, parsedPart.name);
    return [
      ...reasoningParts,
      ...parts,
      ...this.#builder.argumentsDelta(index, parsedPart.arguments),
      ...this.#builder.endToolCall(index),
    ];
  }
}
