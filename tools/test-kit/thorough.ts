import { drawsOf } from './seed.ts';

/** The length of random searches: `THOROUGH=10 npm test` searches twenty times as long as a plain run. */
const { THOROUGH } = process.env;

/** The rounds of a search: so many with `THOROUGH=1`, half as many in a plain run; at least one. */
export const rounds = (count: number): number => Math.max(1, Math.round(count * Number(THOROUGH ?? 0.5)));

/** A plain run tries one in this many, from one on that the seed decides; `THOROUGH=15` and more tries all of them. */
const STRIDE = 15;

/** Offsets from `first` up to `last`: one in `stride`, times `THOROUGH`. */
export function* offsets(first: number, last: number, stride = STRIDE): Generator<number, void> {
  const step = Math.max(1, Math.round(stride / Number(THOROUGH ?? 1)));
  const start = first + Math.floor(drawsOf(`offsets from ${first} to ${last}`)() * step);
  for (let at = start; at <= last; at += step) yield at;
}
