import { drawsOf } from './seed.ts';

/** The length of random searches: `THOROUGH=10 npm test` searches ten times as long as a plain run. */
const FACTOR = Number(process.env.THOROUGH ?? 1);

/** The rounds of a search: as many as in a plain run, times `THOROUGH`; at least one. */
export const rounds = (plain: number): number => Math.max(1, Math.round(plain * FACTOR));

/** A plain run tries one in this many, from one on that the seed decides; `THOROUGH=15` and more tries all of them. */
const STRIDE = 15;

/** Offsets from `first` up to `last`: one in `stride`, times `THOROUGH`. */
export function* offsets(first: number, last: number, stride = STRIDE): Generator<number, void> {
  const step = Math.max(1, Math.round(stride / FACTOR));
  const start = first + Math.floor(drawsOf(`offsets from ${first} to ${last}`)() * step);
  for (let at = start; at <= last; at += step) yield at;
}
