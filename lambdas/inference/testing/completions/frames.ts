/** Streams of an encoder, an event at a time. */
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { StreamEncoder } from '../../core/completions/response-writer.ts';
import type { TokenUsage } from '../../core/pricing/token-usage.ts';

export interface EncodedCall {
  readonly usage: TokenUsage;
  readonly cost: bigint;
  /** Ends the stream in place of its settlement. */
  readonly failure?: Error | undefined;
}

/** Yields each encoded event of a call with these events, which settles unless it fails. */
export function* framesOf(
  encoder: StreamEncoder,
  events: readonly JsonObject[],
  { usage, cost, failure }: EncodedCall,
): Generator<string, void> {
  for (const event of events) yield* encoder.output(event);
  if (failure !== undefined) throw failure;
  const end = encoder.end(usage, { record: { cost } } as never);
  yield* end.split(/(?<=\n\n)/).filter((frame) => frame !== '');
}
