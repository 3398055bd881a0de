/**
 * Mutants that have been judged. Those that no caller can notice are left out of every sample; those that change what
 * nothing promises are drawn like any other, and have their reason beside them in the results.
 */
import type { Mutant } from './operators.ts';

interface Known {
  readonly path: string;
  /** The line that it is in, without the blanks around it: an entry is void once the line has changed. */
  readonly line: string;
  /** `operator: original -> replacement`, with one blank for any number of them. */
  readonly mistake: string;
  readonly reason: string;
}

const EQUIVALENT: readonly Known[] = [
  {
    path: 'lambdas/core/inference/metering/token-bound.ts',
    line: 'const previous = begin > 0 ? text.charCodeAt(begin - 1) : 0;',
    mistake: 'constant: 0 -> 1',
    reason: 'it stands for no character: neither code point is a blank or an apostrophe',
  },
];

const ACCEPTED: readonly Known[] = [];

/** Why a mutant of a module makes no difference, if it is known to make none. */
export const equivalenceOf = (path: string, text: string, mutant: Mutant): string | undefined =>
  reasonIn(EQUIVALENT, path, text, mutant);

/** Why a mutant that no test notices is let be, if it has been judged. */
export const acceptanceOf = (path: string, text: string, mutant: Mutant): string | undefined =>
  reasonIn(ACCEPTED, path, text, mutant);

function reasonIn(known: readonly Known[], path: string, text: string, mutant: Mutant): string | undefined {
  const own = known.filter((entry) => entry.path === path);
  if (own.length === 0) return undefined;
  const line = text.split('\n')[mutant.line - 1]?.trim();
  const mistake = `${mutant.operator}: ${mutant.original} -> ${mutant.replacement}`.replace(/\s+/g, ' ');
  return own.find((entry) => entry.line === line && entry.mistake === mistake)?.reason;
}
