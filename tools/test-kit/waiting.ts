/** Waits that do not depend on the speed of the machine. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Reads again until it returns the expected value; only the time limit of the test ends it. */
export async function until<T>(read: () => Promise<T> | T, isExpected: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (isExpected(value)) return value;
    await sleep(25);
  }
}

/**
 * Returns whether the work still runs when a timer of this process fires. It compares two timers, so a slow machine or
 * other timers change nothing: give a delay that is clearly shorter than the work has to take.
 */
export const outlasts = async (work: Promise<unknown>, delayMs: number): Promise<boolean> =>
  Promise.race([sleep(delayMs, true), work.then(() => false)]);

/** Waits until the clock has advanced, for code that compares times and sets no timer. */
export async function advanceClock(ms: number): Promise<void> {
  for (const startedMs = performance.now(); performance.now() - startedMs < ms; ) await sleep(10);
}
