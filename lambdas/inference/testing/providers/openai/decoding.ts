/** Decoding of streamed bytes, as the provider does it. */
import type { StreamPart } from '../../../core/upstream/conversation.ts';
import type { OpenAiCallContext } from '../../../providers/openai/response.ts';
import { ChunkStreamReader } from '../../../providers/openai/stream.ts';
import { collect, decodedBy, eventsOfData, outcomeOf, partsIn } from '../streams.ts';
import { CALL, CONVERTED } from './fixtures.ts';

export const decodeFor = (context: OpenAiCallContext, ...pieces: readonly Uint8Array[]) =>
  decodedBy(new ChunkStreamReader(context), pieces);

export const readRouteEvents = (data: AsyncIterable<string>, context: OpenAiCallContext) =>
  eventsOfData(new ChunkStreamReader(context), data);

export const decode = (...pieces: readonly Uint8Array[]) => decodeFor(CALL, ...pieces);

export const outcome = (...pieces: readonly Uint8Array[]) => outcomeOf(decode(...pieces));

/** The parts that a caller of another protocol gets. */
export const partsOf = async (...pieces: readonly Uint8Array[]): Promise<StreamPart[]> =>
  partsIn(await collect(decodeFor(CONVERTED, ...pieces)));
