import { describe, expect, it } from '@jest/globals';
import { filesIn, read } from './source-tree.ts';

/**
 * Expressions that readers stop at, each with what to write in its place; `docs/glossary.md` has the names of things.
 * Spelled in pieces, so that this file does not find itself.
 */
const BANNED: readonly (readonly [expression: RegExp, instead: string])[] = [
  [/\bt(old|ells?|elling)\b/i, 'reports, receives, knows, says, shows'],
  [/(?<!\b[tT]here )\b(is|are) none(?! of| left)\b/, 'is not one, does not count'],
  [/\b(in|out of|into) force\b/i, 'active, valid, current'],
  [/\bbehind (the )?\w+(['’]s)? backs?\b/i, 'in the background'],
  [/\bin your hands\b/i, 'belongs to your account'],
  [/\bo(wn) business\b/i, 'what only the service uses'],
  [/\bof its own word\b/i, 'of its own'],
  [/\bso many\b/i, 'a number of, this many'],
  [/\bin (the|its|their|those|that|which|\w+['’]s)( \w+)?(['’]s)? words\b/i, 'in the format of'],
  [/\bunder way\b/i, 'in flight, running'],
  // In quotes or as a key it names the field of OpenAI's requests.
  [/(?<!['`])\bmodalit(y|ies)\b(?!['`:])/i, 'kind of call'],
  // In quotes it names an index and its key, which a deployed table keeps.
  [/(?<!['-])\bsh(elf|elves)\b/i, 'kind and category'],
  [/\bpatiently\b|\breassur/i, 'with a timeout, reports successes'],
  [/\bComes ?Back\b/, 'RetryLater'],
  [/\bgi(fts?|ft)\b/i, 'transfer'],
  [/\bcom(e|es|ing) back\b/i, 'returns, is delivered again, tries again'],
];

/** This test, and words that are data: vocabularies, recorded answers. */
const NOT_PROSE =
  /^test\/architecture\/language\.test\.ts$|\/(token|word)-table\.ts$|\/field-names\.ts$|\/fixtures\//;

const texts = [...filesIn('')]
  .filter((path) => /\.(ts|md)$/.test(path) && !NOT_PROSE.test(path))
  .map((path) => ({ path, lines: read(path).split('\n') }));

const findings = (lines: readonly string[]): string[] =>
  lines.flatMap((line, index) =>
    BANNED.filter(([expression]) => expression.test(line)).map(
      ([expression, instead]) => `${index + 1}: ${expression.exec(line)?.[0]} (say: ${instead})`,
    ),
  );

describe('the language of the project', () => {
  it('contains no banned expression', () => {
    expect(texts.length).toBeGreaterThan(500);
    const found = texts.flatMap(({ path, lines }) => findings(lines).map((finding) => `${path}:${finding}`));
    expect(found).toEqual([]);
  });

  it.each([
    ['The caller is t', 'old the limits.'],
    ['A number that is n', 'one.'],
    ['The policy in for', 'ce.'],
    ['Refreshed behind the caller’s ba', 'ck.'],
    ['Holds of so ma', 'ny calls.'],
    ['An answer in the surface’s wor', 'ds.'],
    ['class Comes', 'Back extends Error {}'],
    ['What failed comes b', 'ack to its queue.'],
  ])('would be found to be otherwise in "%s%s"', (first, second) => {
    expect(findings([first + second])).toHaveLength(1);
  });
});
