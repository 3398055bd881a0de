/** Plausible text from a fixed bank of sentences: an answer only has to look like one and be the same each time. */
import type { Random } from './random.ts';

const SENTENCES: readonly [string, ...string[]] = [
  'The short answer is that it depends on what you need first.',
  'Most teams start with the simplest version and improve it later.',
  'A careful plan saves more time than a fast start.',
  'Each part does one thing and passes the result to the next.',
  'Small changes are easier to review and easier to undo.',
  'The numbers look steady once the first few samples are left out.',
  'You can check this with a simple test on your own data.',
  'In practice the limits matter more than the average case.',
];

const GREETINGS = ['Hello!', 'Hi!', 'Good day!'] as const;

/** A greeting, another for each choice, as long as other answers. */
export const greeting = (choiceIndex: number): string =>
  `${GREETINGS[choiceIndex % GREETINGS.length]} I am a simulated model. I repeat a text exactly, write as many words as you want, and call the tools that you name.`;

/** Two sentences (20 to 30 tokens), the first of them another for each choice. */
export function plainProse(random: Random, choiceIndex: number): string {
  const start = random.integer(0, SENTENCES.length - 1) + choiceIndex;
  return `${SENTENCES[start % SENTENCES.length]} ${random.pick(SENTENCES)}`;
}

export function proseOfWords(random: Random, choiceIndex: number, wordCount: number): string {
  const words = plainProse(random, choiceIndex).split(' ');
  while (words.length < wordCount) words.push(...random.pick(SENTENCES).split(' '));
  return words.slice(0, wordCount).join(' ');
}
