/**
 * The seed of random searches. It is fixed by default, so every run draws the same. `SEED=fresh` draws another seed for
 * each test file, and `SEED=12345` repeats the file whose failure named that seed.
 */
import { createHash, randomInt } from 'node:crypto';
import { seeded } from './seeded.ts';

const FIXED = 20_261_123;

/** The seed that a value of `SEED` stands for: 32 bits with a sign, as fast-check takes and prints them. */
export function readSeed(value: string | undefined): number {
  if (value === undefined || value === '') return FIXED;
  if (value === 'fresh') return randomInt(2 ** 31);
  const seed = Number(value);
  if (seed !== (seed | 0)) throw new Error(`SEED is neither "fresh" nor a whole number of 32 bits: ${value}`);
  return seed;
}

export const SEED = readSeed(process.env.SEED);

/** A seed of a search's own, so that two searches of one run do not draw the same. */
export const seedOf = (search: string, seed = SEED): number =>
  createHash('sha256').update(`${seed} ${search}`).digest().readInt32LE();

/** Numbers in [0, 1) for one search; they do not depend on what other searches have drawn. */
export const drawsOf = (search: string, seed = SEED): (() => number) => seeded(seedOf(search, seed));
