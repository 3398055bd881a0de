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
