/** A body that settles its call before its reader learns that it has ended, however it ends. */
import type { CallStatus } from '../../../ledger/usage-record.ts';

export interface Begun {
  readonly first: Uint8Array;
  readonly rest: AsyncIterator<Uint8Array>;
}

/** Hands the bytes on as they are asked for; `settle` is called once. A source that fails breaks the body off. */
export function settledStream(
  { first, rest }: Begun,
  settle: (status: CallStatus, failure?: unknown) => Promise<void>,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(first),
      async pull(controller) {
        const next = await rest.next().catch(async (failure: unknown) => {
          await settle('interrupted', failure);
          throw failure;
        });
        if (!next.done) return controller.enqueue(next.value);
        await settle('completed');
        controller.close();
      },
      async cancel() {
        try {
          await rest.return?.();
        } finally {
          await settle('interrupted');
        }
      },
    },
    // Nothing is read from the route that the caller has not asked for, but for the first bytes.
    { highWaterMark: 1 },
  );
}
