/** Mutants that no caller can notice, each with why: they are left out of every sample. */
import type { Mutant } from './operators.ts';

interface Equivalent {
  readonly path: string;
  /** The line that it is in, without the blanks around it: an entry is void once the line has changed. */
  readonly line: string;
  /** `operator: original -> replacement`. */
  readonly mistake: string;
  readonly reason: string;
}

const EQUIVALENTS: readonly Equivalent[] = [
  {
    path: 'lambdas/core/inference/metering/token-bound.ts',
    line: 'const previous = begin > 0 ? text.charCodeAt(begin - 1) : 0;',
    mistake: 'constant: 0 -> 1',
    reason: 'it stands for no character: neither code point is a blank or an apostrophe',
  },
];

/** Whether a mutant of a module is known to make no difference. */
export function isEquivalent(path: string, text: string, mutant: Mutant): boolean {
  const line = text.split('\n')[mutant.line - 1]?.trim();
  const mistake = `${mutant.operator}: ${mutant.original} -> ${mutant.replacement}`;
  return EQUIVALENTS.some((known) => known.path === path && known.line === line && known.mistake === mistake);
}
