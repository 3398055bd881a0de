/**
 * Reads a streamed response of streamGenerateContent: events, each a separate response -> route events (Gemini API
 * reference).
 */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { StreamPart } from '../../core/upstream/conversation.ts';
import { type RouteEvent, UpstreamFailure } from '../../core/upstream/provider.ts';
import { StreamPartBuilder } from '../../core/upstream/stream-part-builder.ts';
import type { EventReader } from '../event-batches.ts';
import { parseUpstreamEvent } from '../http-upstream.ts';
import { failureOf } from './errors.ts';
import { type GeminiCallContext, GeminiPartReader, type PartContent, textOf, toFinish } from './response.ts';
import { toUsage } from './usage.ts';

/**
 * Converts the data of server-sent events to route events. The stream has no end marker, and some servers have a finish
 * reason in every event. It is complete with its body, if a reason has arrived; the last one counts.
 */
export class GeminiStreamReader implements EventReader {
  readonly #partReader: GeminiPartReader;
  readonly #builder = new StreamPartBuilder();
  /** The last body with a finish reason. */
  #finalBody: JsonObject | undefined;

  constructor(context: GeminiCallContext) {
    this.#partReader = new GeminiPartReader(context);
  }

  get isComplete(): boolean {
    return false;
  }

  /** Throws if the body ended before a finish reason, or with one of a failure. Usage may be missing. */
  end(): readonly RouteEvent[] {
    const finish = this.#finalBody && toFinish(this.#finalBody, this.#partReader.hasCalls);
    if (finish === undefined) throw new UpstreamFailure('interrupted');
    return [{ parts: this.#builder.finish(finish), outputText: '', hasOutput: true }];
  }

  /**
   * Returns the route event of one body. Throws `UpstreamFailure` for an error, and for an event that is not a
   * response.
   */
  *read(data: string): Generator<RouteEvent, void> {
    // Some servers end their streams as they end those of chat completions.
    if (data === '[DONE]') return;
    const body = parseUpstreamEvent(data);
    if (body.error !== undefined) throw failureOf(body);
    const parsedParts = this.#partReader.read(body);
    const text = parsedParts.map(textOf).join('');
    const parts = parsedParts.flatMap((parsedPart) => this.#partsOf(parsedPart));
    const usage = toUsage(body.usageMetadata);
    if (parts.length > 0 || usage !== undefined)
      yield {
        ...(parts.length === 0 ? {} : { parts }),
        outputText: text,
        hasOutput: parts.length > 0,
        ...(usage === undefined ? {} : { usage }),
      };
    // A reason that reports a failure throws, whatever follows it.
    if (toFinish(body, this.#partReader.hasCalls) !== undefined) this.#finalBody = body;
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
