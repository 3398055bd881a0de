/**
 * Some tokenizers normalise a text first (Qwen NFC, the one for Claude 2 NFKC). What a code point counts has to be
 * enough for what it becomes, alone and beside a combining mark.
 */

const forms = ['NFC', 'NFKC'] as const;

/** Code points below this are ASCII, and count nothing here: in a run of letters they may add nothing. */
const FIRST_LISTED = 0x80;

const ordersOf = (text: string): readonly number[] =>
  Array.from(text, (letter) => letter.codePointAt(0) ?? 0);

/**
 * Raises the counts, by code point: what normalisation takes apart counts as much as its parts, and a mark counts what
 * any letter may gain by it, the marks included that it drives out of the letter.
 */
export function settleNormalisation(counts: Uint8Array): void {
  const measured = counts.slice();
  const sum = (text: string, ofAscii: number): number =>
    ordersOf(text).reduce(
      (total, code) => total + (code < FIRST_LISTED ? ofAscii : (measured[code] ?? 4)),
      0,
    );
  for (let code = FIRST_LISTED; code < counts.length; code += 1) {
    const text = String.fromCodePoint(code);
    if (text.normalize('NFKC') === text) continue;
    counts[code] = Math.max(measured[code] ?? 0, ...forms.map((form) => sum(text.normalize(form), 1)));
  }
  const { composed, marks } = compositions(counts.length);
  for (const mark of marks) {
    const code = mark.codePointAt(0) ?? 0;
    const gains = composed.map((letter) => sum((letter + mark).normalize('NFC'), 0) - sum(letter, 0));
    counts[code] = Math.max(counts[code] ?? 0, ...gains);
  }
}

/** The letters that compositions begin with or make, and the marks that they end with. Hangul is left out. */
function compositions(end: number): {
  readonly composed: readonly string[];
  readonly marks: readonly string[];
} {
  const composed = new Set<string>();
  const marks = new Set<string>();
  for (let code = FIRST_LISTED; code < end; code += 1) {
    const text = String.fromCodePoint(code);
    const apart = text.normalize('NFD');
    if (apart === text || (code >= 0xac00 && code <= 0xd7a3)) continue;
    const points = [...apart];
    for (const mark of points.slice(1)) marks.add(mark);
    for (let length = 1; length <= points.length; length += 1)
      composed.add(points.slice(0, length).join('').normalize('NFC'));
    composed.add(text);
  }
  return { composed: [...composed].filter((letter) => ordersOf(letter).length === 1), marks: [...marks] };
}
