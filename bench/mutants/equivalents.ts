/** Mutants that no caller can notice, each with why: they are left out of every sample. */
import type { Candidate } from './trial.ts';

interface Equivalent {
  readonly path: string;
  /** As the bench prints it: `operator: original -> replacement`. */
  readonly mistake: string;
  readonly reason: string;
}

const EQUIVALENTS: readonly Equivalent[] = [];

/** Why a mutant makes no difference; undefined for one that is not known to make none. */
export const equivalence = ({ path, operator, original, replacement }: Candidate): string | undefined =>
  EQUIVALENTS.find(
    (known) => known.path === path && known.mistake === `${operator}: ${original} -> ${replacement}`,
  )?.reason;
