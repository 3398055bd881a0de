/** Recognises "repeat exactly: ...", the one instruction a test needs in order to choose the answer itself. */

export interface RepeatInstruction {
  /** The text to answer with, and nothing else. */
  readonly text: string;
  /** What stood before the instruction, where the user may still ask for other things. */
  readonly preamble: string;
}

const VERB = '(?:repeat|say|reply|respond|answer|output|print|echo|return|write)';
const WORD_BEFORE =
  '(?:back|after|me|with|in|to|this|that|the|following|next|text|words?|phrase|sentence|string|message|line|only|and|it|,)';
const WORD_AFTER =
  '(?:with|this|that|these|the|following|text|words?|phrase|sentence|string|message|line|and|nothing|else|only|as|written|it|back|to|me|in|return|,)';
const EXACTLY = '(?:exactly|verbatim|word for word)';

/** An instruction ends with a colon, or with an opening quote, or with the text itself (`Reply with exactly OK`). */
const INSTRUCTION = new RegExp(
  `\\b${VERB}(?:[ ,]+${WORD_BEFORE})*[ ,]+${EXACTLY}` +
    `(?:(?:[ ,]+${WORD_AFTER})*\\s*:|(?:[ ,]+${WORD_AFTER})*(?=\\s*["“„«「'\`])|(?:[ ]+the (?:words?|text|phrase|string))?(?=\\s))`,
  'iu',
);

const CLOSING_QUOTE: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '„': '“',
  '«': '»',
  '「': '」',
};

/** What may follow a closing quote and still belong to the instruction rather than to the text. */
const AFTER_QUOTE = /^[.,;!]?\s*(?:and|do not|don't|nothing|no other|with no|without|please)\b/iu;

const trimBreaks = (text: string): string => text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/gu, '');

function unquote(text: string): string {
  const closing = CLOSING_QUOTE[text.charAt(0)];
  if (closing === undefined) return text;
  const bare = /[.!]$/u.test(text) ? text.slice(0, -1) : text;
  if (bare.length > 1 && bare.endsWith(closing)) return bare.slice(1, -1);
  for (let end = text.indexOf(closing, 1); end > 0; end = text.indexOf(closing, end + 1)) {
    if (AFTER_QUOTE.test(text.slice(end + 1))) return text.slice(1, end);
  }
  return text;
}

/** The first repeat instruction in `prompt`, or undefined when there is none or it names no text. */
export function findRepeatInstruction(prompt: string): RepeatInstruction | undefined {
  const match = INSTRUCTION.exec(prompt);
  if (match === null) return undefined;
  const text = unquote(trimBreaks(prompt.slice(match.index + match[0].length)));
  return text === '' ? undefined : { text, preamble: prompt.slice(0, match.index) };
}
