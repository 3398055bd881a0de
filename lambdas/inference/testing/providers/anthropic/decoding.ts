/** Decoding of streamed bytes, as the provider does it. */
import type { MessagesCallContext } from '../../../providers/anthropic/response.ts';
import { MessageStreamReader } from '../../../providers/anthropic/stream.ts';
import { decodedBy, eventsOfData, outcomeOf } from '../streams.ts';
import { JSON_MODE, NATIVE } from './fixtures.ts';

/** Every way in which an answer is read. */
export const READINGS = [
  ['for a caller of the protocol', NATIVE],
  ['for any other', JSON_MODE],
] as const;

export const decode = (context: MessagesCallContext, ...pieces: readonly Uint8Array[]) =>
  decodedBy(new MessageStreamReader(context), pieces);

export const readRouteEvents = (data: AsyncIterable<string>, context: MessagesCallContext) =>
  eventsOfData(new MessageStreamReader(context), data);

export const outcome = (context: MessagesCallContext, ...pieces: readonly Uint8Array[]) =>
  outcomeOf(decode(context, ...pieces));

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
