/**
 * The growth of the time of a piece of work with its size, in CPU of this process. Other work of the machine cancels
 * out in the ratio, but would not in a number of seconds.
 */

/** The size of the large piece of work as a multiple of the small one. */
export const TIMES = 16;

/** Work in proportion to its size takes 16 times as long, with caches and collections of garbage some more; in proportion
 * to its square, 256 times. */
export const MAX_RATIO = 6 * TIMES;

const ROUNDS = 3;
/** The minimum duration of one measurement: short pieces of work are repeated. */
const MIN_MS = 4;

/** The CPU that the work takes at 16 times the size, as a multiple of what it takes at the size; the least of three rounds. */
export async function growthOf(work: (size: number) => unknown, size: number): Promise<number> {
  await work(size);
  const small: number[] = [];
  const large: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    small.push(await cpuMsOf(() => work(size)));
    large.push(await cpuMsOf(() => work(size * TIMES)));
  }
  return Math.min(...large) / Math.min(...small);
}

/** CPU of the process for one run of the work, ms. */
async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  for (let runs = 1; ; runs += 1) {
    await work();
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1_000;
    if (ms >= MIN_MS) return ms / runs;
  }
}
