/** The words of token-table.ts, found in a text without taking them out of it. */
import { WORDS, WORDS_AFTER_BLANK } from './token-table.ts';

const SPACE = 0x20;

/** All words, each with a blank after it; those that need a blank before them are behind the others. */
const letters = Buffer.from(`${WORDS} ${WORDS_AFTER_BLANK} `, 'latin1');
const firstAfterBlank = WORDS.length + 1;

/** A power of two, three times the words: what is not there is known after few looks. */
const SLOTS = 1 << 15;

/** Where in `letters` a word begins, plus one, at the slot of its hash or the next that was free. */
const slots: number[] = new Array(SLOTS).fill(0);

/** The hash of no letters, and of some letters and one more (FNV-1a, 32 bits). */
export const NO_LETTERS = 0x811c9dc5 | 0;
export const hashNext = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193);

/** The product leaves the lowest bits poorly mixed. */
const slotOf = (hash: number): number => (hash ^ (hash >>> 15)) & (SLOTS - 1);

for (let start = 0, hash = NO_LETTERS, at = 0; at < letters.length; at += 1) {
  const code = letters[at] ?? SPACE;
  if (code !== SPACE) {
    hash = hashNext(hash, code);
    continue;
  }
  let slot = slotOf(hash);
  while (slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
  slots[slot] = start + 1;
  start = at + 1;
  hash = NO_LETTERS;
}

/** Returns whether the letters from `start` to `end`, whose hash is given, are a word that is one token. */
export function isWord(text: string, start: number, end: number, hash: number): boolean {
  const afterBlank = start > 0 && text.charCodeAt(start - 1) === SPACE;
  for (let slot = slotOf(hash); slots[slot] !== 0; slot = (slot + 1) & (SLOTS - 1)) {
    const word = (slots[slot] as number) - 1;
    let at = start;
    while (at < end && letters[word + at - start] === text.charCodeAt(at)) at += 1;
    if (at === end && letters[word + end - start] === SPACE) return afterBlank || word < firstAfterBlank;
  }
  return false;
}
