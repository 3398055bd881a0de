/** The instructions a test needs in order to choose the answer itself: its text and its length. */

export interface RepeatInstruction {
  /** The text to answer with, and nothing else. */
  readonly text: string;
  /** The text before the instruction, in which the user may request other things. */
  readonly preamble: string;
}

/** `Repeat exactly: ...`, `Reply with exactly OK`, `Repeat the following text verbatim: ...` */
const REPEAT =
  /\b(?:repeat|say|reply|respond|answer|output|print|return)\b[^.:\n"]{0,40}\b(?:exactly|verbatim)\b(?:[^.:\n"]{0,40}:|(?=\s))/iu;

/** The first repeat instruction in `prompt`; undefined when there is none or it names no text. */
export function findRepeatInstruction(prompt: string): RepeatInstruction | undefined {
  const match = REPEAT.exec(prompt);
  if (match === null) return undefined;
  const rest = prompt.slice(match.index + match[0].length).replace(/^[ \t\r\n]+|[ \t\r\n]+$/gu, '');
  const text = /^"(.*)"$/su.exec(rest)?.[1] ?? rest;
  return text === '' ? undefined : { text, preamble: prompt.slice(0, match.index) };
}

const GREETING =
  /^\W*(?:please )?(?:(?:say|write) )?(?:hello|hi|hey|good (?:morning|evening|day))\b[\w ]{0,20}\W*$/iu;

/** Returns whether the prompt is a greeting, or asks for one, and nothing else. */
export const isGreeting = (prompt: string): boolean => GREETING.test(prompt);

/** More words than this would only make tests slow; it is about 22,000 tokens. */
const MAX_REQUESTED_WORDS = 20_000;
const WORDS_REQUEST = /\bwrite\b[^\n]{0,60}?\b(\d{1,9})[ -]+words?\b/iu;

export function requestedWordCount(prompt: string): number | undefined {
  const count = Number(WORDS_REQUEST.exec(prompt)?.[1] ?? 0);
  return count > 0 ? Math.min(count, MAX_REQUESTED_WORDS) : undefined;
}
