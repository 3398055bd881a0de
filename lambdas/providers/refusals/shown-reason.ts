/**
 * What a caller may read of a route's error text: plain words, names of fields, numbers and dates. Whatever else stands
 * in it may be an address, a key, an id, an account or a model's name at its vendor, and a mark takes its place.
 */
import { isFieldPath } from './field-names.ts';

/** Of a long text, only the beginning is read. */
const MAX_READ = 2_000;

/** The most characters that are shown. */
const MAX_SHOWN = 300;

const HIDDEN = '…';

/** The text with a mark for all that must not be shown; empty where nothing else would be left. */
export function shownReason(text: string): string {
  const shown = text
    .slice(0, MAX_READ)
    .replace(SUPPORT, '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(shownWord)
    .join(' ')
    .replace(/…(?:[ ,;:.]*…)+/g, HIDDEN);
  const short =
    shown.length <= MAX_SHOWN ? shown : `${shown.slice(0, MAX_SHOWN).replace(/\S*$/, '')}${HIDDEN}`;
  return /[A-Za-z]{2}/.test(short) ? short.trim() : '';
}

/** By what some vendors' support finds the call, at the end of their messages. */
const SUPPORT = /[([{]?\b(?:request|trace|correlation|operation|activity)[ _-]?id\b.*$/is;

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
  // Figures: whole, with few places, a range, a part of a hundred.
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
  if (VENDORS.test(word)) return false;
  if (PLAIN.some((pattern) => pattern.test(word))) return true;
  // A path of fields, in brackets or with dots, such as `messages.0.content` and `tools[3].function`.
  return (
    /^[a-zA-Z_][\w.[\]]{0,120}$/.test(word) && /[.[]/.test(word) && isFieldPath(word) && !/\d{7}/.test(word)
  );
}
