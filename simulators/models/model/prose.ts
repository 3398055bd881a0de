/** Plausible text from a fixed bank of sentences, because an answer only has to look like one and be the same each time. */
import type { Random } from './random.ts';
import { countTokens } from './tokens.ts';

const SENTENCES: readonly [string, ...string[]] = [
  'The short answer is that it depends on what you need first.',
  'Most teams start with the simplest version and improve it later.',
  'A careful plan saves more time than a fast start.',
  'Each part does one thing and passes the result to the next.',
  'Small changes are easier to review and easier to undo.',
  'It helps to write down what you expect before you measure it.',
  'The numbers look steady once the first few samples are left out.',
  'You can check this with a simple test on your own data.',
  'There are two good options here and both are easy to explain.',
  'The first step is to collect the facts and sort them by date.',
  'Clear names make the rest of the work much lighter.',
  'In practice the limits matter more than the average case.',
  'A good example often says more than a long rule.',
  'The result stays the same when the order of the inputs changes.',
  'Keep the old version around until the new one has proved itself.',
  'This works well for short texts and for long ones too.',
  'When in doubt, choose the option that is easy to reverse.',
  'The cost grows with the size of the input and not with its age.',
  'Readers will thank you for a summary at the top.',
  'Nothing here needs more than an hour and a quiet room.',
];

/** Words that are a single token after a space, for texts whose token count must be exact. */
const SINGLE_TOKEN_WORDS: readonly [string, ...string[]] = [
  'time',
  'light',
  'water',
  'river',
  'stone',
  'garden',
  'window',
  'morning',
  'paper',
  'music',
  'table',
  'summer',
  'house',
  'road',
  'bridge',
  'forest',
];

/** Sentences in an order of their own for every start, so that the choices of one request open differently. */
function* sentences(random: Random, choiceIndex: number): Generator<string> {
  const start = random.integer(0, SENTENCES.length - 1) + choiceIndex;
  yield SENTENCES[start % SENTENCES.length] ?? SENTENCES[0];
  for (;;) yield random.pick(SENTENCES);
}

/** The plain answer must have 20 to 60 tokens; sentences have 11 to 16, so stopping past 24 stays within. */
const PLAIN_ANSWER_TOKENS = 24;

/** A plain answer of 20 to 60 tokens. */
export function plainProse(random: Random, choiceIndex: number): string {
  const chosen: string[] = [];
  for (const sentence of sentences(random, choiceIndex)) {
    chosen.push(sentence);
    if (countTokens(chosen.join(' ')) > PLAIN_ANSWER_TOKENS) break;
  }
  return chosen.join(' ');
}

/** A text of exactly `wordCount` words. */
export function proseOfWords(random: Random, choiceIndex: number, wordCount: number): string {
  const words: string[] = [];
  for (const sentence of sentences(random, choiceIndex)) {
    words.push(...sentence.split(' '));
    if (words.length >= wordCount) break;
  }
  return words.slice(0, wordCount).join(' ');
}

/** A text of exactly `tokenCount` tokens, each a piece of its own when streamed. */
export function proseOfTokens(random: Random, tokenCount: number): string {
  return Array.from({ length: tokenCount }, () => random.pick(SINGLE_TOKEN_WORDS)).join(' ');
}

/** More words than this would only make tests slow; it is about 22,000 tokens. */
const MAX_REQUESTED_WORDS = 20_000;
const WORDS_REQUEST = /\bwrite\b[^\n]{0,60}?\b(\d[\d,]{0,8})[ -]+words?\b/iu;

/** The number of words asked for by "write N words", at most 20,000. */
export function requestedWordCount(prompt: string): number | undefined {
  const digits = WORDS_REQUEST.exec(prompt)?.[1]?.replaceAll(',', '');
  const count = digits === undefined ? 0 : Number.parseInt(digits, 10);
  return count > 0 ? Math.min(count, MAX_REQUESTED_WORDS) : undefined;
}
