/** Time, chance and timers of the process. */
import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { After, Clock, RandomSource, UlidSource } from '../core/ports.ts';

export const systemClock: Clock = () => Date.now();

/** Milliseconds of the process, which no correction of the clock changes. */
export const systemUptime: Clock = () => performance.now();

export const systemRandom: RandomSource = () => Math.random();

/** An id draws 16 numbers; a call to the system for each would cost more than all the rest of it. */
const DRAWS = new Uint32Array(256);
let drawn = DRAWS.length;

function draw(): number {
  if (drawn === DRAWS.length) {
    randomFillSync(DRAWS);
    drawn = 0;
  }
  const value = (DRAWS[drawn] ?? 0) / 0x1_0000_0000;
  drawn += 1;
  return value;
}

/** Ascending within a millisecond too; ids are names, never secrets. */
export const systemUlid: UlidSource = monotonicFactory(draw);

/** Runs a timer that does not keep an otherwise idle process alive. */
export const systemAfter: After = (ms, run) => {
  const timer = setTimeout(run, ms);
  timer.unref();
  return () => clearTimeout(timer);
};
