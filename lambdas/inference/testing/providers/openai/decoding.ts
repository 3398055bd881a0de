/** Decoding of streamed bytes, as the provider does it. */
import type { RouteEvent } from '../../../core/upstream/provider.ts';
import { decodeSse } from '../../../providers/http-upstream.ts';
import { readRouteEvents } from '../../../providers/openai/stream.ts';
import { CALL } from './fixtures.ts';

async function* fragments(...parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  yield* parts;
}

export const decode = (...parts: readonly Uint8Array[]) =>
  readRouteEvents(decodeSse(fragments(...parts)), CALL);

export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** Returns the events of a stream before it ended or failed, and the failure. */
export async function outcome(
  ...parts: readonly Uint8Array[]
): Promise<{ events: RouteEvent[]; failure: unknown }> {
  const events: RouteEvent[] = [];
  try {
    for await (const event of decode(...parts)) events.push(event);
    return { events, failure: undefined };
  } catch (failure) {
    return { events, failure };
  }
}

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
/** One event with JSON, or with text as it is. */
export const event = (data: unknown): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
