/** The choice that answers in text: what it says, in which format, and where the request's limits end it. */
import { parsedJson } from '../../parsed-json.ts';
import { lastQuestion } from './asked.ts';
import { findRepeatInstruction, isGreeting, requestedWordCount } from './instructions.ts';
import type { ModelChoice, ModelMessage, ModelRequest } from './model.ts';
import { greeting, plainProse, proseOfWords } from './prose.ts';
import { randomFrom } from './random.ts';
import { conformsToSchema, schemaInstance } from './schema-instance.ts';
import { nextCalls } from './script.ts';
import { cutToTokens } from './tokens.ts';

/** A tool result longer than this (in UTF-16 units) is quoted only in part. */
const QUOTED_RESULT_UNITS = 400;

const lastTextOf = (request: ModelRequest, role: ModelMessage['role']): string =>
  request.messages.findLast((message) => message.role === role)?.text ?? '';

/** Returns the text that lists the observed values: results of the tools just called, and images. */
function observations({ messages }: ModelRequest): string {
  const results = messages.slice(messages.findLastIndex(({ role }) => role !== 'tool') + 1);
  const imageCount = messages.reduce((sum, message) => sum + message.imageCount, 0);
  const summaries = results.map(({ text, isError }) => {
    const verb = isError === true ? 'failed' : 'returned';
    return `The tool ${verb}: ${text.slice(0, QUOTED_RESULT_UNITS)}\n`;
  });
  return (
    summaries.join('') +
    (imageCount > 0 ? `I can see ${imageCount} ${imageCount === 1 ? 'image' : 'images'}. ` : '')
  );
}

function writeProse(request: ModelRequest, seed: string, choiceIndex: number): string {
  if (nextCalls(request) !== undefined) return `${observations(request)}Done.`;
  const random = randomFrom(seed);
  const wordCount = requestedWordCount(lastQuestion(request.messages).text);
  if (wordCount !== undefined) return proseOfWords(random, choiceIndex, wordCount);
  const text = isGreeting(lastQuestion(request.messages).text)
    ? greeting(choiceIndex)
    : plainProse(random, choiceIndex);
  return observations(request) + text;
}

/** Text in the format asked for; a text that the user, or else the system, wants repeated is kept where it satisfies that format. */
function generateText(request: ModelRequest, seed: string, choiceIndex: number): string {
  const { schema } = request;
  const instruction =
    findRepeatInstruction(lastQuestion(request.messages).text) ??
    findRepeatInstruction(lastTextOf(request, 'system')) ??
    findRepeatInstruction(lastTextOf(request, 'user'));
  if (schema === undefined) return instruction?.text ?? writeProse(request, seed, choiceIndex);
  const value = parsedJson(instruction?.text ?? '');
  if (instruction !== undefined && value !== undefined && conformsToSchema(schema, value))
    return instruction.text;
  return JSON.stringify(schemaInstance(schema, seed));
}

function cutAtStop(text: string, stop: readonly string[]): Pick<ModelChoice, 'text' | 'stopSequence'> {
  const [first] = stop
    .map((stopSequence) => ({ stopSequence, index: stopSequence === '' ? -1 : text.indexOf(stopSequence) }))
    .filter(({ index }) => index >= 0)
    .toSorted((a, b) => a.index - b.index);
  return first === undefined ? { text } : { ...first, text: text.slice(0, first.index) };
}

export function refusalChoice(maxTokens: number | undefined): ModelChoice {
  const { text, tokenCount, truncated } = cutToTokens('I am sorry, but I cannot help with that.', maxTokens);
  return { text, toolCalls: [], finishReason: truncated ? 'length' : 'refusal', tokenCount };
}

export function textChoice(request: ModelRequest, seed: string, choiceIndex: number): ModelChoice {
  const { text = '', ...stopped } = cutAtStop(generateText(request, seed, choiceIndex), request.stop);
  const { truncated, ...cut } = cutToTokens(text, request.maxTokens);
  if (truncated) return { ...cut, toolCalls: [], finishReason: 'length' };
  return { ...cut, ...stopped, toolCalls: [], finishReason: 'stop' };
}
