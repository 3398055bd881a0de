/** A streamed answer of streamGenerateContent: events, each an answer of its own -> reply events (Gemini API reference). */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { StreamPart } from '../../core/upstream/conversation.ts';
import { type ReplyEvent, UpstreamFailure } from '../../core/upstream/provider.ts';
import { StreamBlocks } from '../../core/upstream/stream-blocks.ts';
import { drain, parseEvent } from '../http-upstream.ts';
import { failureOf } from './errors.ts';
import { type GeminiCallContext, type PartContent, PieceReader, textOf, toFinish } from './response.ts';
import { toUsage } from './usage.ts';

/**
 * Turns the data of server-sent events into reply events. The stream has no mark of its end: it is whole with the
 * reason of its finish and the usage that comes with it, or after it. Throws `UpstreamFailure` for one that ends before.
 */
export async function* toReplyEvents(
  data: AsyncIterable<string>,
  context: GeminiCallContext,
): AsyncGenerator<ReplyEvent, void> {
  const iterator = data[Symbol.asyncIterator]();
  const reader = new EventReader(context);
  let open = true;
  try {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      const event = reader.read(parseEvent(next.value));
      if (reader.isComplete) {
        open = false;
        // The body's last bytes are read in the background, so that the connection can be used again.
        void drain(iterator);
      }
      if (event !== undefined) yield event;
      if (reader.isComplete) return;
    }
  } finally {
    if (open) await iterator.return?.();
  }
  if (!reader.isFinished) throw new UpstreamFailure('interrupted');
}

class EventReader {
  readonly #pieces: PieceReader;
  readonly #blocks = new StreamBlocks();
  #finished = false;
  #metered = false;

  constructor(context: GeminiCallContext) {
    this.#pieces = new PieceReader(context);
  }

  /** The answer is whole; its usage may still come. */
  get isFinished(): boolean {
    return this.#finished;
  }

  get isComplete(): boolean {
    return this.#finished && this.#metered;
  }

  /** Throws `UpstreamFailure` for an error, and for an event that is no answer. */
  read(body: JsonObject): ReplyEvent | undefined {
    if (body.error !== undefined) throw failureOf(body);
    const pieces = this.#finished ? [] : this.#pieces.read(body);
    const text = pieces.map(textOf).join('');
    const finish = this.#finished ? undefined : toFinish(body, this.#pieces.hasCalls);
    const parts = pieces.flatMap((piece) => this.#partsOf(piece));
    if (finish !== undefined) parts.push(...this.#blocks.finish(finish));
    this.#finished ||= finish !== undefined;
    const usage = toUsage(body.usageMetadata);
    this.#metered = this.#finished && usage !== undefined;
    if (parts.length === 0 && usage === undefined) return undefined;
    return {
      ...(parts.length === 0 ? {} : { parts }),
      text,
      content: parts.length > 0,
      ...(usage === undefined ? {} : { usage }),
    };
  }

  /** Calls come whole. */
  #partsOf(piece: PartContent): StreamPart[] {
    if (piece.type !== 'call') return this.#blocks.text(piece.type, piece.text);
    const proof = piece.signature === undefined ? [] : this.#blocks.endReasoning(piece.signature);
    const { block, parts } = this.#blocks.startCall(piece.id, piece.name);
    return [
      ...proof,
      ...parts,
      ...this.#blocks.arguments(block, piece.arguments),
      ...this.#blocks.endCall(block),
    ];
  }
}
