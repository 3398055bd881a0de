/** The kinds of texts that a search begins with: code points, words and signs, drawn by chance. */
import { WORDS, WORDS_AFTER_BLANK } from '../../../lambdas/inference/core/metering/token-table.ts';

export type Chance = () => number;

export const below = (chance: Chance, end: number): number => Math.floor(chance() * end);
export const pick = <T>(chance: Chance, from: readonly T[]): T => from[below(chance, from.length)] as T;
const letterOf = (chance: Chance, letters: string): string => pick(chance, [...letters]);
const point = (chance: Chance, first: number, last: number): string => {
  const code = first + below(chance, last - first + 1);
  return String.fromCodePoint(code >= 0xd800 && code <= 0xdfff ? 0xfffd : code);
};

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const RARE = 'qjxzvkwQJXZVKW';
const SIGNS = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
const BLANKS = [
  ' ',
  '  ',
  '    ',
  '\t',
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  '\v',
  '\f',
  '\u00a0',
  '\u2003',
  '\u3000',
  '\u0085',
];
const CONTRACTIONS = ["'", "'s", "'S", "'t", "'re", "'VE", "'ll", "'d", "'m", '’s', '’', "''"];
const MARKS = '\u0301\u0308\u0323\u0338\u0327\u20d7\u0345\u3099\ufe0f\u093c';
const INVISIBLE = '\u200b\u200c\u200d\u2060\ufeff\u00ad\u202e\u180e\u{e0041}';
const EMOJI = ['🚀', '👩‍👩‍👧‍👦', '🏳️‍🌈', '🇩🇪', '👍🏽', '1️⃣', '☺️', '🧑‍💻', '❤️‍🔥'];
const EXPANDING = '\ufdfa\ufdfb㍿㋿ﬃ½℡№…\u0344\u1e9b🄐㈱ŉ\u0958';
const WORD_LIST = `${WORDS} ${WORDS_AFTER_BLANK}`.split(' ');

/** The first code points of what a family draws from at once; each ends where the next begins. */
const BEGINNINGS = [
  0x80, 0x100, 0x250, 0x2b0, 0x370, 0x400, 0x530, 0x590, 0x600, 0x700, 0x900, 0x980, 0xe00, 0xf00, 0x10a0,
  0x1400, 0x1800, 0x1d00, 0x2000, 0x2070, 0x2150, 0x2400, 0x2800, 0x2c00, 0x3000, 0x3040, 0x3100, 0x3400,
  0x4dc0, 0x4e00, 0xa000, 0xa500, 0xac00, 0xd7a4, 0xe000, 0xf900, 0xfe00, 0x10000, 0x10800, 0x12000, 0x17000,
  0x1d000, 0x1d800, 0x1f000, 0x1fb00, 0x20000, 0x323b0, 0xe0000, 0x110000,
];

/** Between them: hexagrams, surrogates, symbols of old computers, and planes without characters. */
const LEFT_OUT: readonly unknown[] = [0x4dc0, 0xd7a4, 0x1fb00, 0x323b0];

/** First and last code points. */
const SCRIPTS = BEGINNINGS.slice(0, -1)
  .map((first, at) => [first, (BEGINNINGS[at + 1] ?? 0) - 1] as const)
  .filter(([first]) => !LEFT_OUT.includes(first));

/** A word as it may be written: small, with a capital, in capitals, cut short, in alternating case. */
function written(chance: Chance): string {
  const word = pick(chance, WORD_LIST);
  const form = below(chance, 6);
  if (form === 0) return word.toUpperCase();
  if (form === 1) return word.slice(0, 1 + below(chance, word.length));
  if (form === 2) return word.slice(below(chance, word.length));
  if (form === 3) return word.slice(0, 1).toUpperCase() + word.slice(1);
  return form === 4 ? word.replace(/../g, (two) => two.slice(0, 1).toUpperCase() + two.slice(1)) : word;
}

export type TextGenerator = (chance: Chance) => string;

export const script: TextGenerator = (chance) => {
  const [first, last] = pick(chance, SCRIPTS);
  return point(chance, first, last);
};

/** Draws its piece from one of the others each time. */
const anyOf =
  (...generators: readonly TextGenerator[]): TextGenerator =>
  (chance) =>
    pick(chance, generators)(chance);
const letters =
  (from: string): TextGenerator =>
  (chance) =>
    letterOf(chance, from);
const items =
  (from: readonly string[]): TextGenerator =>
  (chance) =>
    pick(chance, from);

export const FAMILIES: Readonly<Record<string, TextGenerator>> = {
  'small letters': letters(LOWER),
  'rare letters': letters(RARE + RARE + LOWER),
  'letters of either case': letters(LOWER + UPPER),
  'words without blanks': written,
  'words and blanks': anyOf(written, (chance) => ` ${written(chance)}`, items([' ', '\n'])),
  'words and letters': anyOf(written, letters(LOWER + RARE)),
  'words and signs': anyOf(written, letters(SIGNS), (chance) => letterOf(chance, SIGNS) + written(chance)),
  'words and contractions': anyOf(written, items(CONTRACTIONS), items([' '])),
  'words and digits': anyOf(written, letters('0123456789'), items([' ', '.', ','])),
  'words and other scripts': anyOf(written, script),
  'words and marks': anyOf(written, letters(MARKS), letters('aeionu=<>')),
  'words and what is not seen': anyOf(written, letters(INVISIBLE), items([' '])),
  'accents and marks': anyOf(
    (chance) => point(chance, 0xc0, 0x17f),
    (chance) => point(chance, 0x1e00, 0x1fff),
    (chance) => point(chance, 0x300, 0x345),
    letters(MARKS),
    letters(LOWER),
  ),
  'compatibility and marks': anyOf(
    letters(EXPANDING),
    (chance) => point(chance, 0x2b0, 0x36f),
    items(BLANKS),
  ),
  'words and accents': anyOf(written, (chance) => point(chance, 0xc0, 0x17f)),
  signs: letters(SIGNS),
  digits: anyOf(letters('0123456789'), letters('0123456789 .,:-٣५')),
  blanks: items(BLANKS),
  'blanks and others': anyOf(items(BLANKS), letters(LOWER + SIGNS), written),
  controls: anyOf(
    (chance) => point(chance, 0, 0x20),
    (chance) => point(chance, 0x7f, 0xa0),
    written,
  ),
  'all scripts': script,
  emoji: anyOf(items(EMOJI), letters(INVISIBLE), letters(MARKS)),
  'what normalisation expands': anyOf(letters(EXPANDING), letters(MARKS), letters(LOWER)),
  'all of Unicode': (chance) => point(chance, 0, 0x10ffff),
  'lone surrogates': anyOf((chance) => String.fromCharCode(0xd800 + below(chance, 0x800)), letters(LOWER)),
  everything: anyOf(
    written,
    script,
    items(BLANKS),
    letters(SIGNS),
    letters(EXPANDING),
    letters(MARKS),
    letters(LOWER),
  ),
  ...Object.fromEntries(
    SCRIPTS.map(([first, last]) => [
      `U+${first.toString(16)} to U+${last.toString(16)}`,
      anyOf(
        (chance: Chance) => point(chance, first, last),
        (chance: Chance) => point(chance, first, last),
        items([' ', 'a']),
      ),
    ]),
  ),
};
