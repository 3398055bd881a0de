/** Into how many tokens a run of ASCII letters falls at most, by what the tokenizers of token-table.ts merge. */
import { FIRST_MERGES, LAST_MERGES, PAIRS } from './token-table.ts';

/** Indices of the table: 0 a blank, 1 to 26 a to z, 27 to 52 A to Z. */
const LETTERS = 53;
const FIRST_CAPITAL = 27;

/** The index of each ASCII letter; 0 for any other character. */
export const LETTER_INDEX = new Uint8Array(0x80);
for (let index = 1; index <= 26; index += 1) {
  LETTER_INDEX[0x60 + index] = index;
  LETTER_INDEX[0x40 + index] = FIRST_CAPITAL - 1 + index;
}

const pairs = Buffer.from(PAIRS, 'base64');
const firstMerges = Buffer.from(FIRST_MERGES, 'base64');
const lastMerges = Buffer.from(LAST_MERGES, 'base64');

const isSet = (bits: Uint8Array, index: number): boolean =>
  (((bits[index >> 3] as number) >> (index & 7)) & 1) === 1;

/** Less than any count. */
const NONE = -8;

/**
 * The greatest number of tokens that `text` from `begin` to `end`, letters with perhaps a blank before them, is cut
 * into so that no two neighbours are left that every tokenizer merges. What stands around it may take letters along,
 * at either end, into tokens of its own. One pass, in constant memory.
 */
export function finestCut(text: string, begin: number, end: number): number {
  // The most tokens up to the letter before, by the length of the last one: one letter, two, more. Letters that a token
  // before the run took along count nothing.
  let one = NONE;
  let two = NONE;
  let more = 0;
  // The same up to one letter earlier, and the most up to any letter before that.
  let earlierOne = NONE;
  let earlierTwo = NONE;
  let earlierMore = NONE;
  let earliest = NONE;
  let most = 0;
  // The letters before this one, and whether there may be a cut between those two whatever they are.
  let y = 0;
  let z = 0;
  let wasCut = true;
  for (let at = begin; at < end; at += 1) {
    const x = LETTER_INDEX[text.charCodeAt(at)] as number;
    // o200k cuts before a capital that follows a small letter; others do not.
    const cut = at === begin || (x >= FIRST_CAPITAL && y < FIRST_CAPITAL && y > 0);
    const triple =
      x < FIRST_CAPITAL && y < FIRST_CAPITAL && z < FIRST_CAPITAL
        ? (z * FIRST_CAPITAL + y) * FIRST_CAPITAL + x
        : -1;
    let single = more;
    if (one > single && (cut || !isSet(pairs, y * LETTERS + x))) single = one;
    if (two > single && (cut || triple < 0 || !isSet(lastMerges, triple))) single = two;
    let double = earlierMore > earlierTwo ? earlierMore : earlierTwo;
    if (earlierOne > double && (wasCut || triple < 0 || !isSet(firstMerges, triple))) double = earlierOne;
    const long = earliest < 0 ? 0 : earliest + 1;
    if (earlierOne > earliest) earliest = earlierOne;
    if (earlierTwo > earliest) earliest = earlierTwo;
    if (earlierMore > earliest) earliest = earlierMore;
    earlierOne = one;
    earlierTwo = two;
    earlierMore = more;
    one = single + 1;
    two = double + 1;
    more = long;
    if (one > most) most = one;
    if (two > most) most = two;
    if (more > most) most = more;
    z = y;
    y = x;
    wasCut = cut;
  }
  return most;
}
