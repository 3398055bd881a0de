/** From the start of a process to the end of its first answer, and what it weighs when it has served. */
import { closedLoop } from '../harness/load/loops.ts';
import { median } from '../harness/statistics.ts';
import { CASES } from './cases.ts';
import type { Contestant } from './contestant.ts';

const STARTS = 3;

/** One that starts so slowly that this is over is not started again. */
const LONG_MS = 15_000;

/** The median of several starts, milliseconds; each ends with one whole chat answer. */
export async function measureStarts(contestant: Contestant): Promise<number> {
  const [chat] = CASES;
  if (chat === undefined) return Number.NaN;
  const startMs: number[] = [];
  const firstMs = performance.now();
  for (let start = 0; start < STARTS && performance.now() - firstMs < LONG_MS; start += 1) {
    const beganMs = performance.now();
    const running = await contestant.start();
    try {
      // A window of no length: one call.
      await closedLoop({ url: running.url, next: () => contestant.request(chat, 0), windowMs: 1 }, 1);
      startMs.push(performance.now() - beganMs);
    } finally {
      await running.stop();
    }
  }
  return median(startMs);
}
