/** The variables that shift the clock of a process and of all that it starts. */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Returns the environment of a process whose clock is that far ahead. */
export const shiftedClock = (shiftMs: number): Record<string, string> => ({
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${pathToFileURL(join(import.meta.dirname, 'shifted-clock.ts'))}`,
  CLOCK_SHIFT_MS: String(shiftMs),
});
