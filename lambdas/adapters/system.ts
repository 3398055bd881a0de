/** Time, chance and timers of the process. */
import { randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { After, Clock, RandomSource, UlidSource } from '../core/ports.ts';

export const systemClock: Clock = () => Date.now();

export const systemRandom: RandomSource = () => Math.random();

/** Ascending within a millisecond too; ids are names, never secrets. */
export const systemUlid: UlidSource = monotonicFactory(() => randomBytes(4).readUInt32BE() / 0x1_0000_0000);

/** A timer never keeps a process alive that has nothing else to do. */
export const systemAfter: After = (ms, run) => {
  const timer = setTimeout(run, ms);
  timer.unref();
  return () => clearTimeout(timer);
};
