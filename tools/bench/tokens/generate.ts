/**
 * `node tools/bench/tokens/generate.ts`: makes the table that the bound on tokens rests on, `token-table.ts`, anew from the
 * vocabularies (five of them are installed at the first run). Takes some minutes.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import llama2 from 'llama-tokenizer-js';
import { settleNormalisation } from './normalisation.ts';
import { loadAll, type Vocabulary } from './vocabularies.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const OUTPUT = join(ROOT, 'lambdas', 'inference', 'core', 'metering', 'token-table.ts');

/** A blank and the letters, in the order of the table's indices. */
const LETTERS = [...' abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const LOWER = LETTERS.slice(0, 27);

/**
 * The characters that may precede a word without a blank, in addition to line ends and digits. Some patterns include
 * them in the word.
 */
const ATTACHED = [...'!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t'];

/** The suffixes that o200k includes in the word before them. */
const SUFFIXES = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"];

const LAST_LISTED = 0x1ffff;

const vocabularies = await loadAll();

/** After a line end, so that no tokenizer adds a blank of its own. */
const countAfterLine = (vocabulary: Vocabulary, text: string): number =>
  vocabulary.count(`\n${text}`) - (lineEnds.get(vocabulary) ?? 0);

const lineEnds = new Map(vocabularies.map((vocabulary) => [vocabulary, vocabulary.count('\n')]));

const all = (holds: (vocabulary: Vocabulary) => boolean): boolean => vocabularies.every(holds);

/** No table of tokens goes past a bound that is made of whole words, where a tokenizer has no pattern to cut by. */
function checkWordsStandAlone(): void {
  const mixed = [...llama2.vocabByString.keys()].filter(
    (token) =>
      /[A-Za-z][\x20-\x40[-`{-\x7e▁]|[!-@[-`{-\x7e][A-Za-z]|[^▁]▁/.test(token) && !token.startsWith('<'),
  );
  if (mixed.length > 0) throw new Error(`tokens of more than a word: ${mixed.slice(0, 20).join(' ')}`);
}

function wordsOf(): { readonly bare: readonly string[]; readonly afterBlank: readonly string[] } {
  const candidates = [...llama2.vocabByString.keys()]
    .filter((token) => /^▁[A-Za-z]{2,}$/.test(token))
    .map((token) => token.slice(1));
  const admissible = candidates.filter(
    (word) =>
      all((vocabulary) => countAfterLine(vocabulary, ` ${word}`) === 1) &&
      SUFFIXES.every((suffix) =>
        vocabularies.slice(0, 2).every((v) => countAfterLine(v, ` ${word}${suffix}`) <= 3),
      ),
  );
  const isBare = (word: string) =>
    all((vocabulary) => countAfterLine(vocabulary, word) === 1) &&
    all((vocabulary) => ATTACHED.every((before) => countAfterLine(vocabulary, before + word) <= 2)) &&
    ATTACHED.every((before) =>
      SUFFIXES.every((suffix) =>
        vocabularies.slice(0, 1).every((v) => countAfterLine(v, before + word + suffix) <= 4),
      ),
    );
  const bare = new Set(admissible.filter(isBare));
  return { bare: [...bare].sort(), afterBlank: admissible.filter((word) => !bare.has(word)).sort() };
}

const bitsOf = (bits: readonly boolean[]): string => {
  const bytes = new Uint8Array(Math.ceil(bits.length / 8));
  bits.forEach((bit, index) => {
    if (bit) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7));
  });
  return Buffer.from(bytes).toString('base64');
};

const pairsOf = () =>
  bitsOf(LETTERS.flatMap((left) => LETTERS.map((right) => all((v) => v.merges(left, right)))));

const triplesOf = (holds: (vocabulary: Vocabulary, letters: readonly [string, string, string]) => boolean) =>
  bitsOf(
    LOWER.flatMap((a) =>
      LOWER.flatMap((b) => LOWER.map((c) => all((vocabulary) => holds(vocabulary, [a, b, c])))),
    ),
  );

/** Half of a surrogate pair reaches a tokenizer as three bytes, if it does. */
const HALF_PAIR_BYTES = 3;

/** The most tokens of a code point. */
function tokensOf(code: number): number {
  if (code >= 0xd800 && code <= 0xdfff) return HALF_PAIR_BYTES;
  const text = String.fromCodePoint(code);
  if (code > 0xffff && !/\p{Assigned}/u.test(text)) return Buffer.byteLength(text);
  return Math.max(...vocabularies.map((vocabulary) => countAfterLine(vocabulary, text)));
}

/** Runs of equal counts from U+0080 on: the count, then how many code points have it when that is more than one. */
function codePointsOf(): string {
  const counts = new Uint8Array(LAST_LISTED + 1);
  for (let code = 0x80; code <= LAST_LISTED; code += 1) counts[code] = tokensOf(code);
  settleNormalisation(counts);
  let written = '';
  let [run, length] = [0, 0];
  const flush = () => {
    if (run > 26) throw new Error(`${run} tokens of one code point`);
    if (length > 0) written += String.fromCharCode(0x40 + run) + (length > 1 ? String(length) : '');
  };
  for (let code = 0x80; code <= LAST_LISTED; code += 1) {
    const tokens = counts[code] ?? 0;
    if (tokens !== run) {
      flush();
      [run, length] = [tokens, 0];
    }
    length += 1;
  }
  flush();
  return written;
}

checkWordsStandAlone();
const { bare, afterBlank } = wordsOf();
console.log(`${bare.length} words, ${afterBlank.length} more after a blank`);
const pairs = pairsOf();
const before = triplesOf((v, [a, b, c]) => v.merges(a, b + c));
const after = triplesOf((v, [a, b, c]) => v.merges(a + b, c));
const codePoints = codePointsOf();

const literal = (text: string) => `'${text}'`;
writeFileSync(
  OUTPUT,
  `/**
 * The common tokens of these tokenizers: ${vocabularies.map(({ name }) => name).join(', ')}.
 * Made by tools/bench/tokens/generate.ts from the packages and versions that it names; not to be edited by hand.
 */

/** Words that each of them has as one token, with a blank before them or without. */
export const WORDS =
  ${literal(bare.join(' '))};

/** Words that each of them has as one token with a blank before them. */
export const WORDS_AFTER_BLANK =
  ${literal(afterBlank.join(' '))};

/** Bits of 53 x 53: the pairs of a blank, a to z and A to Z that each of them merges. */
export const PAIRS = ${literal(pairs)};

/** Bits of 27 x 27 x 27: a blank and a to z, where each of them merges the first with a token of the other two. */
export const FIRST_MERGES =
  ${literal(before)};

/** The same, where each of them merges a token of the first two with the third. */
export const LAST_MERGES =
  ${literal(after)};

/** The most tokens of a code point from U+0080 on: A is 1, B is 2; a number says how many in a row have it. */
export const CODE_POINTS =
  ${literal(codePoints)};
`,
);
const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
execFileSync(process.execPath, [biome, 'format', '--write', OUTPUT], { cwd: ROOT, stdio: 'inherit' });
