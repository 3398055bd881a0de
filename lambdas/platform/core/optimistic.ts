/** Optimistic updates: a step whose item another writer has changed runs again on the current item. */
import { overloaded } from './errors.ts';

/**
 * Runs a step until it returns a value, at most `maxAttempts` times; undefined means that another writer was first. Throws
 * 503 `overloaded`, which names `contended`, if every attempt has met another writer.
 */
export async function retryOptimistically<T>(
  maxAttempts: number,
  contended: string,
  step: () => Promise<T | undefined>,
): Promise<T> {
  for (let attempts = 0; attempts < maxAttempts; attempts += 1) {
    const value = await step();
    if (value !== undefined) return value;
  }
  throw overloaded(`Too many concurrent updates to ${contended}; retry.`);
}
