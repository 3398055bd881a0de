/** Deterministic randomness: the same request must give the same answer in every process. */
import { createHash } from 'node:crypto';

export interface Random {
  /** A whole number in `[min, max]`, both ends included. */
  integer(min: number, max: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
}

const UINT32_RANGE = 2 ** 32;

/** A generator that depends on `seed` alone (mulberry32, enough for choosing words and numbers). */
export function randomFrom(seed: string): Random {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / UINT32_RANGE;
  };
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return { integer, pick: (items) => items[integer(0, items.length - 1)] ?? items[0] };
}

/** An identifier of `length` (at most 43) letters and digits that depends on `seed` alone. */
export function identifierFrom(seed: string, length: number): string {
  const text = createHash('sha256').update(seed).digest('base64url');
  return text.replaceAll('-', 'A').replaceAll('_', 'Z').slice(0, length);
}
