/** The choice that answers in text: what it says, in which format, and where the request's limits end it. */
import { conformsToSchema } from './json-schema/conforms.ts';
import { isNode } from './json-schema/schema.ts';
import { schemaInstance } from './json-schema/schema-instance.ts';
import type { ModelChoice } from './model-answer.ts';
import type { ModelMessage, ModelRequest } from './model-request.ts';
import { plainProse, proseOfTokens, proseOfWords, requestedWordCount } from './prose.ts';
import { randomFrom } from './random.ts';
import { findRepeatInstruction } from './repeat-instruction.ts';
import { cutToTokens } from './tokens.ts';

/** A tool result longer than this (in UTF-16 units) is quoted only in part. */
const QUOTED_RESULT_UNITS = 400;

const lastTextOf = (request: ModelRequest, role: ModelMessage['role']): string =>
  request.messages.findLast((message) => message.role === role)?.text ?? '';

/** The text the user, or else the system, tells the model to repeat. */
function textToRepeat(request: ModelRequest): string | undefined {
  const instruction =
    findRepeatInstruction(lastTextOf(request, 'user')) ??
    findRepeatInstruction(lastTextOf(request, 'system'));
  return instruction?.text;
}

/** What the answer says it has seen: results of the tools just called, and images. */
function observations(request: ModelRequest): string {
  const lastOther = request.messages.findLastIndex((message) => message.role !== 'tool');
  const results = request.messages.slice(lastOther + 1);
  const imageCount = request.messages.reduce((sum, message) => sum + message.imageCount, 0);
  let text = results
    .map(({ text: quoted, isError }) => {
      const verb = isError === true ? 'failed' : 'returned';
      return `The tool ${verb}: ${quoted.slice(0, QUOTED_RESULT_UNITS)}\n`;
    })
    .join('');
  if (imageCount > 0) text += `I can see ${imageCount} ${imageCount === 1 ? 'image' : 'images'}. `;
  return text;
}

function proseAnswer(request: ModelRequest, seed: string, choiceIndex: number): string {
  const random = randomFrom(seed);
  const wordCount = requestedWordCount(lastTextOf(request, 'user'));
  if (wordCount !== undefined) return proseOfWords(random, choiceIndex, wordCount);
  return observations(request) + plainProse(random, choiceIndex);
}

function parsedJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Text in the format asked for; a text to repeat is kept where it satisfies that format. */
function answerText(request: ModelRequest, seed: string, choiceIndex: number): string {
  const { format } = request;
  const repeated = textToRepeat(request);
  if (format.kind === 'text') return repeated ?? proseAnswer(request, seed, choiceIndex);
  const value = parsedJson(repeated);
  if (format.kind === 'json-object') {
    if (repeated !== undefined && isNode(value)) return repeated;
    return JSON.stringify({ answer: repeated ?? proseAnswer(request, seed, choiceIndex) });
  }
  if (repeated !== undefined && value !== undefined && conformsToSchema(format.schema, value))
    return repeated;
  return JSON.stringify(schemaInstance(format.schema, seed));
}

/** Ends the text before the first stop sequence it contains. */
function cutAtStop(text: string, stop: readonly string[]): { text: string; stopSequence?: string } {
  let cut: { text: string; stopSequence?: string } = { text };
  for (const sequence of stop) {
    const index = sequence === '' ? -1 : text.indexOf(sequence);
    if (index >= 0 && index < cut.text.length) cut = { text: text.slice(0, index), stopSequence: sequence };
  }
  return cut;
}

const REFUSAL = 'I am sorry, but I cannot help with that.';

/** The choice of a model that declines. */
export function refusalChoice(maxTokens: number | undefined): ModelChoice {
  const { text, tokenCount, truncated } = cutToTokens(REFUSAL, maxTokens);
  return { text, toolCalls: [], finishReason: truncated ? 'length' : 'refusal', tokenCount };
}

/** The text choice number `choiceIndex`; it depends on `seed` and the request alone. */
export function textChoice(request: ModelRequest, seed: string, choiceIndex: number): ModelChoice {
  const { exactTokens } = request;
  if (exactTokens !== undefined) {
    const text = proseOfTokens(randomFrom(seed), exactTokens);
    return { text, toolCalls: [], finishReason: 'stop', tokenCount: exactTokens };
  }
  const { text, stopSequence } = cutAtStop(answerText(request, seed, choiceIndex), request.stop);
  const cut = cutToTokens(text, request.maxTokens);
  if (cut.truncated)
    return { text: cut.text, toolCalls: [], finishReason: 'length', tokenCount: cut.tokenCount };
  const ended = { text, toolCalls: [], finishReason: 'stop' as const, tokenCount: cut.tokenCount };
  return stopSequence === undefined ? ended : { ...ended, stopSequence };
}
