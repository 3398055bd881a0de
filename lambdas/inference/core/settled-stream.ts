/** A streamed response, which settles its call before its reader receives the end. */
import type { Settlement } from '../../ledger/core/call.ts';
import type { CallStatus } from '../../ledger/core/usage-record.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import type { UnsettledCall } from './call.ts';
import { UpstreamFailure } from './upstream/provider.ts';
import { hasLeft } from './upstream/route-clock.ts';

export interface StreamedCall<Chunk, Output> {
  readonly call: Pick<UnsettledCall, 'broke' | 'flush'>;
  /** The chunks that have arrived. */
  readonly first: readonly Chunk[];
  readonly rest: AsyncIterator<Chunk>;
  /** Returns the output for a chunk. */
  write(chunk: Chunk): Iterable<Output>;
  /** Stops the clocks and frees the connection. `complete` states whether the stream was read to its end. */
  close(complete: boolean): void;
  settle(status: CallStatus): Promise<Settlement>;
  /** Returns the last output of a complete stream. */
  end?(settlement: Settlement): Output;
}

/** Yields the response as it arrives. Settles in its own `finally`, so that an interrupted call is settled too. */
export async function* settledStream<Chunk, Output>({
  call,
  first,
  rest,
  write,
  close,
  settle,
  end,
}: StreamedCall<Chunk, Output>): AsyncGenerator<Output, void> {
  let status: CallStatus = 'interrupted';
  let settlement: Settlement;
  try {
    for (const chunk of first) for (const output of write(chunk)) yield output;
    for (let next = await rest.next(); !next.done; next = await rest.next())
      for (const output of write(next.value)) yield output;
    status = 'completed';
  } catch (failure) {
    if (!(failure instanceof UpstreamFailure)) throw failure;
    if (hasLeft(failure)) return;
    call.broke(failure);
    throw new ServiceError(
      'all_routes_failed',
      'The route that served this call failed before its response was complete.',
    );
  } finally {
    close(status === 'completed');
    [settlement] = await Promise.all([settle(status), call.flush()]);
  }
  if (end !== undefined) yield end(settlement);
}
