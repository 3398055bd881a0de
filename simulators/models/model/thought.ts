/** The reasoning before an answer, which leaves the answer's own words as they would be without it. */
import { plainProse } from './prose.ts';
import { randomFrom } from './random.ts';
import { cutToTokens, type TokenCut } from './tokens.ts';

/** A thought that depends on `seed` alone, cut to `maxTokens`. */
export const thoughtFrom = (seed: string, maxTokens: number | undefined): TokenCut =>
  cutToTokens(`Let me think. ${plainProse(randomFrom(`${seed}/thought`), 0)}`, maxTokens);
