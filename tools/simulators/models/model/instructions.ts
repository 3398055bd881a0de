/** The instructions a test needs in order to choose the answer itself: its text, its length, and reasoning that may not be shown. */

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

/** More words than this would only make tests slow; it is about 22,000 tokens. */
const MAX_REQUESTED_WORDS = 20_000;
const WORDS_REQUEST = /\bwrite\b[^\n]{0,60}?\b(\d{1,9})[ -]+words?\b/iu;

/** The number of words asked for by "write N words", at most 20,000. */
export function requestedWordCount(prompt: string): number | undefined {
  const count = Number(WORDS_REQUEST.exec(prompt)?.[1] ?? 0);
  return count > 0 ? Math.min(count, MAX_REQUESTED_WORDS) : undefined;
}

/** The beginning of the text that Claude's documentation gives for tests (guide "Extended thinking", "Thinking redaction"). */
const REDACTION_TRIGGER = 'ANTHROPIC_MAGIC_STRING_TRIGGER_REDACTED_THINKING';

/** Returns whether the prompt requests redacted reasoning. */
export const requestsRedaction = (prompt: string): boolean => prompt.includes(REDACTION_TRIGGER);
