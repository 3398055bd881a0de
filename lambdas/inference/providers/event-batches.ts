/**
 * The reading loop of every stream over HTTP: bytes -> SSE events -> batches of route events. A batch is all that has
 * arrived by the time the reader looks: it never waits for more.
 */

import { createParser, type ParseError } from 'eventsource-parser';
import { type RouteEvent, UpstreamFailure } from '../core/upstream/provider.ts';
import { errorData } from './error-frames.ts';
import { boundedBytes } from './response-bytes.ts';

/** Reads the events of one stream in order, and never waits. Throws `UpstreamFailure` for what breaks the protocol. */
export interface EventReader {
  /** Returns the route events of one event's data. Those before a failure count. */
  read(data: string): Iterable<RouteEvent>;
  /** True after the response's last event. What follows it is not read. */
  readonly isComplete: boolean;
  /** Returns the last route events. Called once, after the last data. Throws for a stream that was cut off. */
  end(): readonly RouteEvent[];
}

/**
 * Yields the events of each read of the body, if it has any. A failure is thrown after the events before it. Ends
 * normally only with the end of the response; everything else is thrown as an `UpstreamFailure`.
 */
export async function* eventBatches(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  reader: EventReader,
): AsyncGenerator<readonly RouteEvent[], void> {
  const iterator = body[Symbol.asyncIterator]();
  const decoder = new SseDecoder();
  let remainingBytes = maxBytes;
  let isOpen = true;
  try {
    while (isOpen) {
      const next = await iterator.next();
      if (next.done) isOpen = false;
      else remainingBytes -= next.value.byteLength;
      if (remainingBytes < 0) throw new UpstreamFailure('protocol');
      const events: RouteEvent[] = [];
      try {
        for (const data of next.done ? decoder.end() : decoder.read(next.value)) {
          for (const event of reader.read(data)) events.push(event);
          if (reader.isComplete) break;
        }
        if (!isOpen || reader.isComplete) events.push(...reader.end());
        if (isOpen && reader.isComplete) {
          isOpen = false;
          // The body's last bytes are read in the background, so that the connection can be used again.
          void drain(boundedBytes({ [Symbol.asyncIterator]: () => iterator }, remainingBytes));
        }
      } finally {
        if (events.length > 0) yield events;
      }
    }
  } catch (failure) {
    throw failure instanceof UpstreamFailure
      ? failure
      : new UpstreamFailure('interrupted', { cause: failure });
  } finally {
    if (isOpen) await iterator.return?.();
  }
}

/** Reads the remaining bytes of a complete response, so that its connection can be reused. */
export async function drain(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    while (!(await iterator.next()).done);
  } catch {
    // The response is complete, so a connection error no longer matters.
  }
}

/** The largest event: that of a complete response at the end of its stream, or a picture in it. */
const EVENT_BOUND = {
  maxBufferSize: 8 * 1024 * 1024,
  onError({ type }: ParseError) {
    if (type === 'max-buffer-size-exceeded') throw new UpstreamFailure('protocol');
  },
};

/** The data of the events of one body; comments, ids and retry fields are dropped. */
export class SseDecoder {
  readonly #ready: string[] = [];
  readonly #parser = createParser({
    onEvent: ({ data, event }) => this.#ready.push(event === 'error' ? errorData(data) : data),
    ...EVENT_BOUND,
  });
  readonly #decoder = new TextDecoder();

  /** Yields the data of every event that these bytes complete, also before a failure. */
  *read(bytes: Uint8Array): Generator<string, void> {
    try {
      this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    } finally {
      yield* this.#ready.splice(0);
    }
  }

  /** Yields the data that the end of the body completes. */
  *end(): Generator<string, void> {
    // A stream whose lines end in a lone CR has its last one open: the parser waits whether an LF follows.
    this.#parser.feed('\n');
    yield* this.#ready.splice(0);
    // The last event may lack its blank line; what was cut off does not count.
    this.#parser.feed('\n\n');
    yield* this.#ready.filter(isComplete);
  }
}

/** Returns whether the data is a JSON text or the end marker (OpenAI API reference, Streaming). */
function isComplete(data: string): boolean {
  if (data === '[DONE]') return true;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}
