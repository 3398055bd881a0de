/**
 * The parts in which Amazon Polly speaks a text. A request takes at most 3,000 billed characters and 6,000 in total, and
 * its audio is cut off after 10 minutes without an error (Amazon Polly developer guide, Quotas).
 */

/** UTF-16 units of the escaped text: the guide does not say how Polly counts. */
const MAX_CHARACTERS = 2_900;

/** Below 10 minutes, because the durations are estimates. */
const MAX_SECONDS = 480;

/** The seconds that a character of a class lasts at most, as a rule. The first class that matches counts. */
const CLASSES: readonly (readonly [RegExp, seconds: number])[] = [
  // A syllable, or a letter that may be spelled out.
  [
    /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Yi}\p{Lu}]/u,
    0.34,
  ],
  [/[\p{L}\p{M} ]/u, 0.1],
  // A pause.
  [/[\p{P}\s]/u, 0.5],
  // A digit of a number.
  [/\p{N}/u, 0.75],
];

/** A symbol or an emoji is spoken by its name. */
const SYMBOL_SECONDS = 2;

/** XML has no other control characters (XML 1.0, section 2.2), and nothing speaks them. */
const CONTROL = /[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/gu;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Returns the text as the content of an XML element. */
export const escapedXml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

/**
 * Returns the parts of a text that are spoken at that speed, in order and without those that are blank. They end at a
 * sentence if possible, else at a word, and never within a code point.
 */
export function partsOf(input: string, speed: number): readonly string[] {
  const parts: string[] = [];
  const fits = ({ characters, seconds }: Size) =>
    characters <= MAX_CHARACTERS && seconds <= MAX_SECONDS * speed;
  let part = '';
  let size = NOTHING;
  for (const piece of piecesOf(input.toWellFormed().replace(CONTROL, ' '), fits)) {
    const pieceSize = sizeOf(piece);
    const increased = sum(size, pieceSize);
    if (fits(increased)) {
      part += piece;
      size = increased;
    } else {
      parts.push(part);
      part = piece;
      size = pieceSize;
    }
  }
  return [...parts, part].filter((text) => text.trim() !== '');
}

interface Size {
  readonly characters: number;
  /** At the usual speed. */
  readonly seconds: number;
}

const NOTHING: Size = { characters: 0, seconds: 0 };

const sum = (a: Size, b: Size): Size => ({
  characters: a.characters + b.characters,
  seconds: a.seconds + b.seconds,
});

function sizeOf(text: string): Size {
  let seconds = 0;
  for (const character of text)
    seconds += CLASSES.find(([pattern]) => pattern.test(character))?.[1] ?? SYMBOL_SECONDS;
  return { characters: escapedXml(text).length, seconds };
}

/** Splits a text, coarse to fine. A string iterates over its code points. */
const SPLITS: readonly ((text: string) => Iterable<string>)[] = [
  (text) => segmentsOf(text, 'sentence'),
  (text) => segmentsOf(text, 'word'),
  (text) => text,
];

function* segmentsOf(text: string, granularity: 'sentence' | 'word'): Generator<string> {
  for (const { segment } of new Intl.Segmenter('en', { granularity }).segment(text)) yield segment;
}

/** Yields the sentences of a text, and finer pieces of those that do not fit. */
function* piecesOf(
  text: string,
  fits: (size: Size) => boolean,
  [split, ...finer] = SPLITS,
): Generator<string> {
  for (const piece of split?.(text) ?? []) {
    if (finer.length === 0 || fits(sizeOf(piece))) yield piece;
    else yield* piecesOf(piece, fits, finer);
  }
}
