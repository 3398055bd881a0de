/** What the text of an error says of a refusal: an overflow of the context window, or another reason. */
import type { Overflow, Refusal } from '../../core/inference/upstream/refusal.ts';
import { isJsonObject } from '../../core/json/lossless-json.ts';
import { shownReason } from './shown-reason.ts';

/** What an error answer says of a refusal, by its message and its code; nothing of either is certain. */
export function refusalOf(message: unknown, code?: unknown): Refusal {
  const text = typeof message === 'string' ? message : '';
  const isOverflow = code === OVERFLOW_CODE || OVERFLOWS.test(text);
  return {
    reason: shownReason(text),
    ...(isOverflow ? { overflow: figuresOf(text) } : {}),
    ...(code === FILTER_CODE ? { filtered: true } : {}),
  };
}

/** The same of an error body: OpenAI's and Anthropic's `error`, one that is the text itself, and FastAPI's `detail`, as vLLM has it. */
export function refusalIn(body: unknown): Refusal {
  if (!isJsonObject(body)) return refusalOf(undefined);
  const { error, detail, message } = body;
  if (isJsonObject(error)) return refusalOf(error.message, error.code);
  const [first] = Array.isArray(detail) ? (detail as readonly unknown[]) : [];
  return refusalOf([error, detail, isJsonObject(first) ? first.msg : undefined, message].find(isText));
}

const isText = (value: unknown): boolean => typeof value === 'string';

/** Azure OpenAI docs, Content filtering, "Scenario details". */
const FILTER_CODE = 'content_filter';

/** OpenAI docs, Error codes; compatible servers have it too. */
const OVERFLOW_CODE = 'context_length_exceeded';

/** How providers and servers say it; the lists by which public clients notice it agree on these (pi, opencode, LangChain). */
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

/** Of a long text, only the beginning is read. */
const MAX_READ = 2_000;

/** The figures as Anthropic, OpenAI, vLLM and Gemini write them. */
const FIGURES: readonly (readonly [RegExp, readonly (keyof Overflow)[]])[] = [
  [/(\d{1,12}) \+ (\d{1,12}) > (\d{1,12})/, ['prompt', 'output', 'window']],
  [/(\d{1,12}) tokens > (\d{1,12}) maximum/, ['prompt', 'window']],
  [/token count \(?(\d{1,12})\)? exceeds .{0,60}?\(?(\d{1,12})\)?/, ['prompt', 'window']],
  [
    /context length (?:is|of) (\d{1,12}) tokens.{0,80}?(?:resulted in|requested|has) (?:about )?(\d{1,12})/,
    ['window', 'prompt'],
  ],
  [/(?:context length|prompt length|context limit) (?:is|of) (\d{1,12})/, ['window']],
];

function figuresOf(text: string): Overflow {
  for (const [pattern, names] of FIGURES) {
    const found = pattern.exec(text.slice(0, MAX_READ));
    if (found !== null)
      return Object.fromEntries(names.map((name, index) => [name, Number(found[index + 1])]));
  }
  return {};
}
