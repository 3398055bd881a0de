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

for (let begin = 0, hash = NO_LETTERS, at = 0; at < letters.length; at += 1) {
  const code = letters[at] ?? SPACE;
  if (code !== SPACE) {
    hash = hashNext(hash, code);
    continue;
  }
  let slot = slotOf(hash);
  while (slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
  slots[slot] = begin + 1;
  begin = at + 1;
  hash = NO_LETTERS;
}

/** Whether the letters from `begin` to `end`, whose hash is given, are a word that is one token. */
export function isWord(text: string, begin: number, end: number, hash: number): boolean {
  const afterBlank = begin > 0 && text.charCodeAt(begin - 1) === SPACE;
  for (let slot = slotOf(hash); slots[slot] !== 0; slot = (slot + 1) & (SLOTS - 1)) {
    const word = (slots[slot] as number) - 1;
    let at = begin;
    while (at < end && letters[word + at - begin] === text.charCodeAt(at)) at += 1;
    if (at === end && letters[word + end - begin] === SPACE) return afterBlank || word < firstAfterBlank;
  }
  return false;
}
