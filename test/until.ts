import { setTimeout as pause } from 'node:timers/promises';

/** Looks again until it finds what is waited for: only the time that a test may take ends it. */
export async function until<T>(look: () => Promise<T> | T, isFound: (found: T) => boolean): Promise<T> {
  for (;;) {
    const found = await look();
    if (isFound(found)) return found;
    await pause(25);
  }
}
