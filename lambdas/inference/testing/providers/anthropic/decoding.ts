/** Decoding of streamed bytes, as the provider does it. */
import type { RouteEvent } from '../../../core/upstream/provider.ts';
import type { MessagesCallContext } from '../../../providers/anthropic/response.ts';
import { readRouteEvents } from '../../../providers/anthropic/stream.ts';
import { decodeSse } from '../../../providers/http-upstream.ts';
import { JSON_MODE, NATIVE } from './fixtures.ts';

/** Every way in which an answer is read. */
export const READINGS = [
  ['for a caller of the protocol', NATIVE],
  ['for any other', JSON_MODE],
] as const;

async function* fragments(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  yield* parts;
}

export const decode = (context: MessagesCallContext, ...parts: readonly Uint8Array[]) =>
  readRouteEvents(decodeSse(fragments(parts)), context);

export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** Returns the events of a stream before it ended or failed, and the failure. */
export async function outcome(
  context: MessagesCallContext,
  ...parts: readonly Uint8Array[]
): Promise<{ events: RouteEvent[]; failure: unknown }> {
  const events: RouteEvent[] = [];
  try {
    for await (const event of decode(context, ...parts)) events.push(event);
    return { events, failure: undefined };
  } catch (failure) {
    return { events, failure };
  }
}

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Events with JSON, or with text as it is. */
export const wire = (...data: readonly unknown[]): Uint8Array =>
  encode(data.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join(''));

export const START = {
  type: 'message_start',
  message: { id: 'msg_x', usage: { input_tokens: 7, output_tokens: 1 } },
};
export const FINAL_EVENT = {
  type: 'message_delta',
  delta: { stop_reason: 'end_turn' },
  usage: { output_tokens: 3 },
};
export const STOP = { type: 'message_stop' };
export const block = (index: number, content_block: unknown) => ({
  type: 'content_block_start',
  index,
  content_block,
});
export const change = (index: number, delta: unknown) => ({ type: 'content_block_delta', index, delta });
export const closed = (index: number) => ({ type: 'content_block_stop', index });
