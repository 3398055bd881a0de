/** How far random searches go: `THOROUGH=10 npm run test:integration` searches ten times as long as a plain run. */
const FACTOR = Number(process.env.THOROUGH ?? 1);

/** So many rounds, times `THOROUGH`; at least one. */
export const rounds = (plain: number): number => Math.max(1, Math.round(plain * FACTOR));

/** Every so many offsets are tried in a plain run, from a random one on; all of them with `THOROUGH=5` and more. */
const STRIDE = 5;

/** Offsets from `first` up to `last`. */
export function* offsets(first: number, last: number): Generator<number, void> {
  const step = Math.max(1, Math.round(STRIDE / FACTOR));
  for (let at = first + Math.floor(Math.random() * step); at <= last; at += step) yield at;
}
