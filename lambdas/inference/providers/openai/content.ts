/** Messages of the OpenAI protocol: the conversion from turns of a conversation, and the output text of a message. */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type {
  AssistantPart,
  Conversation,
  Finish,
  ImagePart,
  ShownPart,
  TextPart,
  ToolResultPart,
  UserPart,
} from '../../core/upstream/conversation.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { urlOf } from '../../core/upstream/sources.ts';
import { behindResults } from '../../core/upstream/system-reminder.ts';
import { ToolCallIds } from '../../core/upstream/tool-calls.ts';
import { finishOf } from '../ends.ts';
import { type RouteDialect, reasoningText, signedCallsOf } from '../openai-formats/returned-reasoning.ts';

interface Output {
  readonly content?: unknown;
  readonly refusal?: unknown;
  /**
   * Several compatible servers return reasoning next to the text, under one name or both. It is output and billed as
   * such.
   */
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  /** OpenRouter's form of it (docs, Reasoning tokens). */
  readonly reasoning_details?: unknown;
  readonly tool_calls?: unknown;
}

const string = (value: unknown): string => (typeof value === 'string' ? value : '');

/** All output text of a message or delta: content, refusal, reasoning, tool names and arguments. */
export function textOf(output: Output): string {
  const text = string(output.content) + string(output.refusal) + reasoningOf(output);
  if (!Array.isArray(output.tool_calls)) return text;
  return output.tool_calls.reduce(
    (sum: string, call: { function?: { name?: unknown; arguments?: unknown } } | null) =>
      sum + string(call?.function?.name) + string(call?.function?.arguments),
    text,
  );
}

/** vLLM and others name the stop sequence that was met in `stop_reason`. Throws `UpstreamFailure` for a failure. */
export function toFinish(
  choice: { readonly finish_reason?: unknown; readonly stop_reason?: unknown },
  hasToolCalls: boolean,
): Finish {
  const { finish_reason: reason, stop_reason: stopSequence } = choice;
  const finish = finishOf(reason, hasToolCalls);
  return finish.reason === 'stop' && finish.raw === 'stop' && typeof stopSequence === 'string'
    ? { ...finish, reason: 'stop-sequence', stopSequence }
    : finish;
}

/** OpenAI rejects longer ids of tool calls. */
export const MAX_TOOL_CALL_ID = 40;

/** The properties of a call that its messages depend on, next to the conversation. */
export interface MessageContext {
  readonly dialect: RouteDialect;
  readonly signatures: Signatures;
}

/** Returns the conversation as messages: system texts first, and tool results directly after their calls. */
export function toMessages({ system, turns }: Conversation, context: MessageContext): JsonObject[] {
  const opening = system.length === 0 ? [] : [{ role: 'system', content: textContent(system) }];
  const ids = new ToolCallIds(MAX_TOOL_CALL_ID);
  return [
    ...opening,
    ...behindResults(turns).flatMap((turn) => {
      if (turn.role === 'assistant') return assistantMessage(turn.parts, ids, context);
      if (turn.role === 'user') return userMessages(turn.parts, ids);
      return [{ role: 'system', content: textContent(turn.parts.map(({ text }) => text)) }];
    }),
  ];
}

/** One text is a string: some compatible servers take nothing else. */
const textContent = (texts: readonly string[]): unknown =>
  texts.length === 1 ? texts[0] : texts.map((text) => ({ type: 'text', text }));

function userMessages(parts: readonly UserPart[], ids: ToolCallIds): JsonObject[] {
  const results = parts
    .filter((part) => part.type === 'tool-result')
    .map((result) => ({ ...result, id: ids.ofResult(result.id) }));
  const shown = results.flatMap(imagesOf);
  const userContent = [...shown, ...parts.filter((part) => part.type !== 'tool-result')];
  return [...results.map(toolMessage), ...(userContent.length === 0 ? [] : [userMessage(userContent)])];
}

function userMessage(parts: readonly ShownPart[]): JsonObject {
  if (parts.every((part) => part.type === 'text'))
    return { role: 'user', content: textContent(parts.map(({ text }) => text)) };
  return {
    role: 'user',
    content: parts.map(shownPart),
  };
}

const textPart = ({ text }: TextPart): JsonObject => ({ type: 'text', text });

function shownPart(part: ShownPart): JsonObject {
  switch (part.type) {
    case 'image':
      return {
        type: 'image_url',
        image_url: {
          url: urlOf(part.source),
          ...(part.detail === undefined ? {} : { detail: part.detail }),
        },
      };
    case 'document':
      return { type: 'file', file: { filename: part.name ?? FILE_NAME, file_data: urlOf(part.source) } };
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
    default:
      return textPart(part);
  }
}

/** OpenAI takes no file without a name. */
const FILE_NAME = 'document.pdf';

/**
 * Returns a tool message. It contains text only, and the text states that the tool failed, because the protocol has no
 * field for it.
 */
function toolMessage({ id, content, isError }: ToolResultPart): JsonObject {
  const texts = content.flatMap((part) => (part.type === 'text' ? part.text : []));
  const resultTexts = isError ? [`Error: ${texts[0] ?? ''}`, ...texts.slice(1)] : texts;
  return {
    role: 'tool',
    tool_call_id: id,
    content: resultTexts.length === 0 ? '' : textContent(resultTexts),
  };
}

/** The images of a tool's result, for the user message that follows: a tool message cannot hold them. */
function imagesOf({ id, content }: ToolResultPart): (TextPart | ImagePart)[] {
  const images = content.filter((part) => part.type === 'image');
  if (images.length === 0) return [];
  return [{ type: 'text', text: `From the result of tool call ${id}:` }, ...images];
}

/** None for reasoning alone, which the route does not want back. */
function assistantMessage(
  parts: readonly AssistantPart[],
  ids: ToolCallIds,
  { dialect, signatures }: MessageContext,
): JsonObject[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []));
  const refusals = parts.flatMap((part) => (part.type === 'refusal' ? part.text : []));
  const calls = signedCallsOf(parts, dialect, signatures);
  const isReasoning = parts.length > 0 && parts.every(({ type }) => type === 'reasoning');
  if (isReasoning) return [];
  return [
    {
      role: 'assistant',
      ...(texts.length === 0 ? {} : { content: textContent(texts) }),
      ...(refusals.length === 0 ? {} : { refusal: refusals.join('') }),
      ...reasoningText(parts, dialect),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ call: { id, name, arguments: text }, signatureField }) => ({
              id: ids.ofCall(id),
              type: 'function',
              function: { name, arguments: text === '' ? '{}' : text },
              ...signatureField,
            })),
          }),
    },
  ];
}

/**
 * Returns the reasoning in a message or delta. If a text has several field names, the first non-empty field is used.
 */
export function reasoningOf({
  reasoning_content: content,
  reasoning,
  reasoning_details: details,
}: Output): string {
  return string(content) || string(reasoning) || textOfDetails(details);
}

const textOfDetails = (details: unknown): string =>
  Array.isArray(details)
    ? details.map((detail) => string(detail?.text) || string(detail?.summary)).join('')
    : '';
