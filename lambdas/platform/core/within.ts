/** A limit on the time that a caller waits. */
import type { After } from './ports.ts';

/** Resolves as the work does, or with undefined after that time, in milliseconds. Leaves no timer behind. */
export function within<T>(
  after: After,
  limitMs: number,
  work: Promise<T> | undefined,
): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const stop = after(limitMs, () => resolve(undefined));
  return Promise.race([work, late]).finally(stop);
}
