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

/** Runs it again until one run begins and ends in the same minute, as what a limit a minute counts requires. */
export async function withinOneMinute<T>(run: () => Promise<T>): Promise<T> {
  const minute = () => Math.floor(Date.now() / 60_000);
  for (;;) {
    const before = minute();
    const result = await run();
    if (minute() === before) return result;
  }
}
