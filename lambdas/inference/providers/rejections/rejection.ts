/**
 * The meaning of an error's text for a rejection: an overflow of the context window, or another reason. This is the only
 * way of an upstream's text to a caller, for responses and for errors within streams: of the text of a 400, masked.
 */

import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Overflow, UpstreamRejection } from '../../core/upstream/rejection.ts';
import { isFieldPath } from './field-names.ts';

/** The status of an error whose text a caller may read: it is about the caller's own request. */
const SHOWN = 400;

/** Returns the rejection that an error of a status reports, by its message and its code. Both are uncertain. */
export function rejectionOf(status: number, message: unknown, code?: unknown): UpstreamRejection {
  const text = typeof message === 'string' ? message : '';
  const isOverflow = code === OVERFLOW_CODE || OVERFLOWS.test(text);
  return {
    reason: status === SHOWN ? shownReason(text) : '',
    ...(isOverflow ? { overflow: tokenCountsOf(text) } : {}),
    ...(code === FILTER_CODE ? { filtered: true } : {}),
  };
}

/** The same of an error body: OpenAI's and Anthropic's `error`, one that is the text itself, and FastAPI's `detail`, as vLLM has it. */
export function rejectionOfBody(status: number, body: unknown): UpstreamRejection {
  if (!isJsonObject(body)) return rejectionOf(status, undefined);
  const { error, detail, message } = body;
  if (isJsonObject(error)) return rejectionOf(status, error.message, error.code);
  const [first] = Array.isArray(detail) ? (detail as readonly unknown[]) : [];
  const texts = [error, detail, isJsonObject(first) ? first.msg : undefined, message];
  return rejectionOf(status, texts.find(isText));
}

const isText = (value: unknown): boolean => typeof value === 'string';

/** Azure OpenAI docs, Content filtering, "Scenario details". */
const FILTER_CODE = 'content_filter';

/** OpenAI docs, Error codes; compatible servers have it too. */
const OVERFLOW_CODE = 'context_length_exceeded';

/**
 * Texts by which providers and servers report an overflow. The lists of public clients contain the same ones (pi,
 * opencode, LangChain).
 */
const OVERFLOWS = new RegExp(
  [
    'prompt is too long',
    'exceeds? context limit',
    'input is too long for (?:the )?requested model',
    'exceeds? (?:the |this )?(?:model.s )?(?:available |maximum )?context (?:window|size|length|limit)',
    'maximum context length',
    'input token count.{0,40}exceeds the maximum',
    'maximum prompt length is \\d+',
    'reduce the length of (?:the|your) (?:messages|input|prompt)',
    'greater than the context length',
    'context window exceeds limit',
    'exceeded model token limit',
    'context[_ ]length[_ ]exceeded',
  ].join('|'),
  'i',
);

/** The number of characters that are read at the start of a long text. */
const MAX_READ = 2_000;

/** The formats in which Anthropic, OpenAI, vLLM and Gemini report the values. */
const TOKEN_COUNT_PATTERNS: readonly (readonly [RegExp, readonly (keyof Overflow)[]])[] = [
  [/(\d{1,12}) \+ (\d{1,12}) > (\d{1,12})/, ['prompt', 'output', 'window']],
  [/(\d{1,12}) tokens > (\d{1,12}) maximum/, ['prompt', 'window']],
  [/token count \(?(\d{1,12})\)? exceeds .{0,60}?\(?(\d{1,12})\)?/, ['prompt', 'window']],
  [
    /context length (?:is|of) (\d{1,12}) tokens.{0,80}?(?:resulted in|requested|has) (?:about )?(\d{1,12})/,
    ['window', 'prompt'],
  ],
  [/(?:context length|prompt length|context limit) (?:is|of) (\d{1,12})/, ['window']],
];

function tokenCountsOf(text: string): Overflow {
  for (const [pattern, names] of TOKEN_COUNT_PATTERNS) {
    const match = pattern.exec(text.slice(0, MAX_READ));
    if (match !== null)
      return Object.fromEntries(names.map((name, index) => [name, Number(match[index + 1])]));
  }
  return {};
}

/** The most characters that are shown. */
const MAX_SHOWN = 300;

const HIDDEN = '…';

/** Returns the text with a placeholder for everything that must not be shown. Empty if nothing else would remain. */
export function shownReason(text: string): string {
  const shown = text
    .slice(0, MAX_READ)
    .replace(SUPPORT, '')
    .replace(ACCOUNT, `$1${HIDDEN}`)
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(shownWord)
    .join(' ')
    .replace(/…(?:[ ,;:.]*…)+/g, HIDDEN);
  const short =
    shown.length <= MAX_SHOWN ? shown : `${shown.slice(0, MAX_SHOWN).replace(/\S*$/, '')}${HIDDEN}`;
  return /[A-Za-z]{2}/.test(short) ? short.trim() : '';
}

/** Matches the call id that some vendors append to a message for their support. */
const SUPPORT = /[([{]?\b(?:request|trace|correlation|operation|activity)[ _-]?id\b.*$/is;

/** Matches the id of an account with the vendor, after the word for it: a plain number elsewhere. */
const ACCOUNT =
  /\b((?:account|organi[sz]ation|org|project|tenant|subscription|workspace|team|customer|deployment|resource)(?:[ _-]?id)?[\s:=#'"`(]{1,4})(?=[\w.-]*\d)[\w.-]+/gi;

/** Ids of accounts that may look like words. */
const ACCOUNT_ID = /^(org|proj|acct|wrkspc|cus)[-_]/;

/** Punctuation around a word stays; the opening of an address or a pattern does not. */
const WORD = /^(["'`([{<]*)(.*?)([)\]}>"'`.,;:!?]*)$/s;

function shownWord(word: string): string {
  const [, before = '', inner = '', after = ''] = WORD.exec(word) ?? [];
  if (inner === '') return /^[<>"'`()[\]{}.,;:!?]{0,4}$/.test(word) ? word : HIDDEN;
  return isPlain(inner) ? word : `${before}${HIDDEN}${after}`;
}

const PLAIN: readonly RegExp[] = [
  // Words, also joined: `server-side`, `tool_use`, `and/or`. A key of letters alone is longer, or changes its case often.
  /^[A-Za-z]?[a-z]{0,20}(?:['’][a-z]{1,2}|\(e?s)?$/,
  /^[A-Z]{2,12}s?$/,
  /^[a-z]{1,20}[A-Z][a-z]{1,20}(?:[A-Z][a-z]{1,20})?$/,
  /^[A-Za-z][a-z]{0,20}(?:[-_/][a-z]{1,20}){1,5}$/,
  /^[A-Z]{2,20}(?:_[A-Z]{2,20}){0,4}$/,
  // Numbers: integers, few decimals, percentages, ranges and ratios.
  /^[-+]?\d{1,9}(?:[.,]\d{1,2})?%?$/,
  /^\d{1,9}(?:\.\.\.?|-|x|\/)\d{1,9}$/,
  /^\d{4}-\d{2}-\d{2}$/,
  // A flag of the Messages protocol: words and a date.
  /^[a-z]{2,20}(?:-(?:[a-z]{2,20}|\d{1,3}[a-z])){0,5}-\d{4}-\d{2}-\d{2}$/,
  /^(?:image|audio|video|text|application)\/[a-z.+-]{1,30}\d?$/,
  /^(?:[<>=!]=?|[-+&|/*=–—]|\.{2,3}|…)$/,
];

/** Callers send them. */
const PROTOCOL_HEADERS = /^anthropic-(beta|version)$/;

/** Vendors, their services and the families of their models, in any spelling. */
const VENDORS =
  /anthropic|claude|openai|chatgpt|\bgpt|azure|microsoft|amazon|\baws|bedrock|titan|google|gemini|vertex|mistral|deepseek|moonshot|kimi|groq|grok|\bxai|together\.?ai|fireworks|nvidia|cerebras|perplexity|openrouter|ollama|\bllama|vllm|sglang|cohere|qwen|alibaba|dashscope|zhipu|minimax|hugging|replicate|litellm|portkey|deepinfra|cloudflare|sambanova/i;

function isPlain(word: string): boolean {
  if (PROTOCOL_HEADERS.test(word)) return true;
  if (VENDORS.test(word) || ACCOUNT_ID.test(word)) return false;
  if (PLAIN.some((pattern) => pattern.test(word))) return true;
  // A path of fields, in brackets or with dots, such as `messages.0.content` and `tools[3].function`.
  return (
    /^[a-zA-Z_][\w.[\]]{0,120}$/.test(word) && /[.[]/.test(word) && isFieldPath(word) && !/\d{7}/.test(word)
  );
}
