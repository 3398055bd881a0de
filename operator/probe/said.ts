/** What a probe sees of an answer, of any protocol and whole or streamed: little, and nothing that has to be right. */
import { isJsonObject, type JsonObject } from '../../lambdas/core/json/lossless-json.ts';

export interface Said {
  readonly text: string;
  readonly reasoning: string;
  /** The model thought, visibly or by what it counts. */
  readonly thinks: boolean;
  /** A text came as a list of parts. */
  readonly hasParts: boolean;
  /** The bound of the output ended the answer. */
  readonly isCut: boolean;
}

const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
const objectIn = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What ends an answer that is cut: chat completions, Messages, Responses. */
const CUT = ['length', 'max_tokens', 'incomplete'];

/** A message of chat completions, or a delta of its stream. */
const chatReasoning = ({ reasoning_content: content, reasoning, reasoning_details: details }: JsonObject) =>
  textIn(content) ||
  textIn(reasoning) ||
  objectsIn(details)
    .map(({ text, summary }) => textIn(text) || textIn(summary))
    .join('');

/** The tokens of reasoning that an account has: by name, or as output beyond what it calls completion. */
function reasoningTokens(usage: JsonObject): number {
  const details = ['completion_tokens_details', 'output_tokens_details'].map((name) => objectIn(usage[name]));
  const named = [usage, ...details].flatMap((each) => [each.reasoning_tokens, each.thinking_tokens]);
  const { total_tokens: total, prompt_tokens: prompt, completion_tokens: completion } = usage;
  return Math.max(
    0,
    Number(total) - Number(prompt) - Number(completion) || 0,
    ...named.map((n) => Number(n) || 0),
  );
}

/** One object of an answer: the whole of it, or a chunk. Undefined for what is no answer of a known protocol. */
function saidIn(answer: JsonObject): Said | undefined {
  const { choices, content, output, usage, stop_reason: stopped, status } = answer;
  if (![choices, content, output].some(Array.isArray)) return undefined;
  const messages = objectsIn(choices).map(({ message, delta }) => objectIn(delta ?? message));
  const items = objectsIn(output);
  const blocks = [...objectsIn(content), ...items.flatMap((item) => objectsIn(item.content))];
  const reasoning = [
    ...messages.map(chatReasoning),
    ...blocks.map(({ thinking }) => textIn(thinking)),
    ...items.flatMap(({ summary }) => objectsIn(summary).map(({ text }) => textIn(text))),
  ].join('');
  const text = [
    ...messages.map((message) => textIn(message.content)),
    ...blocks.map((block) => textIn(block.text)),
  ].join('');
  const isThought = [...blocks, ...items].some(({ type }) => /thinking|^reasoning$/.test(String(type)));
  const reasons = [stopped, status, ...objectsIn(choices).map(({ finish_reason: reason }) => reason)];
  return {
    text,
    reasoning,
    thinks: reasoning !== '' || isThought || reasoningTokens(objectIn(usage)) > 0,
    hasParts: messages.some((message) => Array.isArray(message.content)),
    isCut: reasons.some((reason) => CUT.includes(String(reason))),
  };
}

/** What a whole answer says; undefined for what is no answer. */
export const saidWhole = (answer: unknown): Said | undefined =>
  isJsonObject(answer) && (answer.error ?? null) === null ? saidIn(answer) : undefined;

/** Whether the text of a stream has an event of one of the protocols. */
export function isStream(text: string): boolean {
  return [...text.matchAll(/^data: ?(\{.*)$/gm)].some(([, data = '']) => {
    try {
      const event: unknown = JSON.parse(data);
      if (!isJsonObject(event)) return false;
      const isEvent = /^(message_start|response\.)/.test(String(event.type));
      return (event.error ?? null) === null && (isEvent || Array.isArray(event.choices));
    } catch {
      return false;
    }
  });
}
