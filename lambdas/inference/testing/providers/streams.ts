/** Streams of routes: their bytes, and what providers read from them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StreamPart } from '../../core/upstream/conversation.ts';
import type { RouteEvent } from '../../core/upstream/provider.ts';
import { type EventReader, eventBatches, SseDecoder } from '../../providers/event-batches.ts';

export const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** One event with JSON, or with unchanged text. */
export const event = (data: unknown): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

export const wire = (...data: readonly unknown[]): Uint8Array<ArrayBuffer> =>
  encode(data.map(event).join(''));

async function* inPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  yield* pieces;
}

/** The data of the events in pieces of bytes. */
export async function dataIn(...pieces: readonly Uint8Array[]): Promise<string[]> {
  const decoder = new SseDecoder();
  return [...pieces.flatMap((piece) => [...decoder.read(piece)]), ...decoder.end()];
}

/** Yields the route events of batches, one by one. */
export async function* eventsIn(
  batches: AsyncIterable<readonly RouteEvent[]>,
): AsyncGenerator<RouteEvent, void> {
  for await (const batch of batches) yield* batch;
}

/** Yields the route events of a body that comes in these pieces. */
export const decodedBy = (reader: EventReader, pieces: readonly Uint8Array[]) =>
  eventsIn(eventBatches(inPieces(pieces), Number.POSITIVE_INFINITY, reader));

/** Yields the route events of data of which each comes as an event, in a read of its own. */
export function eventsOfData(
  reader: EventReader,
  data: AsyncIterable<string>,
): AsyncGenerator<RouteEvent, void> {
  async function* reads() {
    for await (const text of data) yield encode(event(text));
  }
  return eventsIn(eventBatches(reads(), Number.POSITIVE_INFINITY, reader));
}

/** Bytes in pieces, cut wherever the numbers say. */
export function fragmentsOf(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** Returns the events of a stream before it ended or failed, and the failure. */
export async function outcomeOf(
  stream: AsyncIterable<RouteEvent>,
): Promise<{ events: RouteEvent[]; failure: unknown }> {
  const events: RouteEvent[] = [];
  try {
    for await (const each of stream) events.push(each);
    return { events, failure: undefined };
  } catch (failure) {
    return { events, failure };
  }
}

export const partsIn = (events: readonly RouteEvent[]): StreamPart[] =>
  events.flatMap(({ parts = [] }) => parts);

/** The recordings in a folder; the streams have no data but JSON and `[DONE]`. */
export const recordingsIn = (folder: string) => ({
  bytesOf: (name: string): Uint8Array<ArrayBuffer> =>
    Uint8Array.from(readFileSync(join(folder, `${name}.sse`))),

  jsonOf: (name: string): Record<string, unknown> =>
    JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Record<string, unknown>,

  /** Returns the data of a stream, read line by line. */
  eventsOf: (name: string): unknown[] =>
    readFileSync(join(folder, `${name}.sse`), 'utf8')
      .split('\n\n')
      .map((each) =>
        each
          .split('\n')
          .filter((line) => line.startsWith('data:'))
          .map((line) => line.slice(5))
          .join('\n')
          .trim(),
      )
      .filter((data) => data !== '' && data !== '[DONE]')
      .map((data) => JSON.parse(data) as unknown),
});
