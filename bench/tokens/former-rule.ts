/**
 * A bound on the tokens of a text, from its shape alone. Byte-pair tokenizers first cut a text into runs of one
 * class of character and merge only within a run (OpenAI's o200k pattern, github.com/openai/tiktoken), so each run
 * is counted by the finest cut its class was seen to take. Errs high, because a hold rests on it;
 * test/core/inference/metering/estimate.test.ts holds it against o200k in many scripts.
 */

/** Runs as the tokenizers cut them: capitalised words, capitals, numbers, blanks, line ends, other letters, the rest. */
const RUN =
  /\p{Lu}?\p{Ll}+|\p{Lu}+|\p{N}+|[\t ]+|[\r\n]+|[\p{Lo}\p{Lm}\p{M}]+|[^\s\p{L}\p{N}\p{M}]+|[\s\S]/gu;

/** Code points below `until` that are not ASCII yield at least this many characters a token. */
const SCRIPTS: readonly { readonly until: number; readonly charactersPerToken: number }[] = [
  // Latin beyond ASCII, Greek, Cyrillic, Armenian.
  { until: 0x590, charactersPerToken: 2.5 },
  // Hebrew, Arabic, the scripts of India, Thai.
  { until: 0xe80, charactersPerToken: 1.4 },
  // Lao to Ethiopic, Cherokee, Mongolian and others that tokenizers know only by their bytes.
  { until: 0x2e80, charactersPerToken: 1 / 3 },
  // Chinese and Japanese.
  { until: 0xa000, charactersPerToken: 0.9 },
  { until: 0xac00, charactersPerToken: 1 / 3 },
  // Hangul.
  { until: 0xd7b0, charactersPerToken: 0.9 },
  // Compatibility forms, and everything above the basic plane: two UTF-16 units, four bytes.
  { until: Number.POSITIVE_INFINITY, charactersPerToken: 1 / 3 },
];

const SPACE = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
const isUpper = (code: number) => code >= 0x41 && code <= 0x5a;
const isLower = (code: number) => code >= 0x61 && code <= 0x7a;

/** At least as many tokens as the text has with any tokenizer that knows its script at least as well as o200k. */
export function boundTokens(text: string): number {
  let tokens = 0;
  for (const [run] of text.matchAll(RUN)) tokens += boundRun(run);
  return tokens;
}

function boundRun(run: string): number {
  const first = run.codePointAt(0) ?? SPACE;
  const { length } = run;
  if (first >= 0x80) return boundForeign(first, length);
  // One blank joins the word after it; longer stretches are tokens of their own.
  if (first === SPACE || first === TAB) return length === 1 ? 0 : Math.ceil(length / 8);
  if (first === LINE_FEED || first === CARRIAGE_RETURN) return Math.ceil(length / 2);
  // Numbers are cut into threes, and a blank before them stands alone.
  if (isDigit(first)) return 1 + Math.ceil(length / 3);
  if (isLower(first) || (isUpper(first) && isLower(run.charCodeAt(length - 1)))) return Math.ceil(length / 4);
  return isUpper(first) ? Math.ceil(length / 1.6) : length;
}

function boundForeign(first: number, length: number): number {
  const script = SCRIPTS.find(({ until }) => first < until);
  return Math.ceil(length / (script?.charactersPerToken ?? 1));
}
