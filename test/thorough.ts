/** How far random searches go: `THOROUGH=10 npm run test:unit` searches ten times as long as a plain run. */
const FACTOR = Number(process.env.THOROUGH ?? 1);

/** The rounds of a search: as many as in a plain run, times `THOROUGH`; at least one. */
export const rounds = (plain: number): number => Math.max(1, Math.round(plain * FACTOR));

/** A plain run tries one in this many, from a random one on; `THOROUGH=15` and more tries all of them. */
const STRIDE = 15;

/** Offsets from `first` up to `last`: one in `stride`, times `THOROUGH`. */
export function* offsets(first: number, last: number, stride = STRIDE): Generator<number, void> {
  const step = Math.max(1, Math.round(stride / FACTOR));
  for (let at = first + Math.floor(Math.random() * step); at <= last; at += step) yield at;
}
