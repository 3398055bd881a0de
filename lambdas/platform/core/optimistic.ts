/** Optimistic updates: a step that finds its item changed by another writer runs again on the item as it is then. */
import { overloaded } from './errors.ts';

/**
 * Runs a step until it yields a value, at most `tries` times; undefined means that another writer was first. Throws 503
 * `overloaded`, which names `contended`, when every try has met another writer.
 */
export async function optimistically<T>(
  tries: number,
  contended: string,
  step: () => Promise<T | undefined>,
): Promise<T> {
  for (let made = 0; made < tries; made += 1) {
    const value = await step();
    if (value !== undefined) return value;
  }
  throw overloaded(`Too many concurrent updates to ${contended}; retry.`);
}
