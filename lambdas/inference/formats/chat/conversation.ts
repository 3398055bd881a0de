/** A chat request as a conversation of no protocol (OpenAI API reference, Create chat completion). */

import { cacheMark, cacheMarkOf, systemOf, withLastMarked } from '../../core/upstream/cache-marks.ts';
import type {
  AnswerFormat,
  AssistantPart,
  Conversation,
  ReasoningPart,
  ShownPart,
  TextPart,
  Tool,
  ToolChoice,
  ToolResultPart,
  Turn,
} from '../../core/upstream/conversation.ts';
import { askedReasoning } from '../../core/upstream/effort.ts';
import { sourceOf } from '../../core/upstream/sources.ts';
import {
  type AssistantMessage,
  type ChatMessage,
  type ChatRequest,
  type ContentPart,
  DEFAULT_TEMPERATURE,
  maxTokensOf,
  thoughtSignatureOf,
} from './request.ts';

/**
 * Everything of the request that other protocols can say too; names of participants are dropped.
 */
export function toConversation(request: ChatRequest): Conversation {
  const { messages, stop, tools, top_p: topP, parallel_tool_calls: parallelToolCalls, user } = request;
  const toolChoice = toToolChoice(request.tool_choice);
  const format = toFormat(request.response_format);
  const reasoning = askedReasoning(request);
  const begin = messages.findIndex((message) => !isSystem(message));
  const leading = begin === -1 ? messages : messages.slice(0, begin);
  return {
    ...systemOf(leading.flatMap((message) => withMarkOf(message, textsOf(message.content)))),
    turns: withLastMarked(messages.slice(leading.length).map(toTurn), cacheMarkOf(request.cache_control)),
    tools: (tools ?? []).map(toTool),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(parallelToolCalls == null ? {} : { parallelToolCalls }),
    ...(format === undefined ? {} : { format }),
    ...(reasoning === undefined ? {} : { reasoning }),
    maxTokens: maxTokensOf(request),
    temperature: request.temperature ?? DEFAULT_TEMPERATURE,
    // A share of 1 leaves nothing out, and protocols that refuse it beside a temperature would lose the latter.
    ...(topP == null || topP === 1 ? {} : { topP }),
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
    ...(user == null ? {} : { user }),
  };
}

const isSystem = ({ role }: ChatMessage) => role === 'system' || role === 'developer';

const textsOf = (content: ChatMessage['content']): TextPart[] =>
  partsOf(content).map((part) => ({
    type: 'text',
    text: part.type === 'text' ? part.text : '',
    ...cacheMark(part.cache_control),
  }));

/** The parts of a message; a mark of the message itself, as LiteLLM takes it, is one of its last part. */
function withMarkOf<Part extends AssistantPart | ShownPart>(
  { cache_control: control }: ChatMessage,
  parts: readonly Part[],
): Part[] {
  const mark = cacheMark(control);
  const last = parts.findLastIndex(({ type }) => type !== 'reasoning');
  return parts.map((part, index) => (index === last ? { ...mark, ...part } : part));
}

function toTurn(message: ChatMessage): Turn {
  switch (message.role) {
    case 'assistant':
      return { role: 'assistant', parts: withMarkOf<AssistantPart>(message, assistantParts(message)) };
    case 'user':
      return { role: 'user', parts: withMarkOf(message, partsOf(message.content).map(toUserPart)) };
    case 'tool':
      return { role: 'user', parts: [toToolResult(message)] };
    default:
      return { role: 'system', parts: withMarkOf(message, textsOf(message.content)) };
  }
}

/** A mark within the result is one of the result: other protocols have no place for it. */
function toToolResult(message: Extract<ChatMessage, { role: 'tool' }>): ToolResultPart {
  const texts = withMarkOf(message, textsOf(message.content));
  const cache = texts.findLast((part) => part.cache !== undefined)?.cache;
  return {
    type: 'tool-result',
    id: message.tool_call_id,
    content: texts.map(({ text }) => ({ type: 'text', text })),
    isError: false,
    ...(cache === undefined ? {} : { cache }),
  };
}

const partsOf = (content: ChatMessage['content']): readonly ContentPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);

function toUserPart(part: ContentPart): ShownPart {
  const mark = cacheMark(part.cache_control);
  switch (part.type) {
    case 'image_url':
      return { type: 'image', source: sourceOf(part.image_url.url), ...mark };
    case 'input_audio':
      return { type: 'audio', format: part.input_audio.format, data: part.input_audio.data, ...mark };
    case 'file': {
      const name = part.file.filename ?? '';
      const source = sourceOf(part.file.file_data);
      return { type: 'document', source, ...(name === '' ? {} : { name }), ...mark };
    }
    default:
      return { type: 'text', text: part.type === 'text' ? part.text : '', ...mark };
  }
}

function assistantParts(message: AssistantMessage): AssistantPart[] {
  const { content, refusal, tool_calls: calls } = message;
  const thoughts = reasoningOf(message);
  const said = partsOf(content).map(
    (part): AssistantPart =>
      part.type === 'refusal'
        ? { type: 'refusal', text: part.refusal, ...cacheMark(part.cache_control) }
        : { type: 'text', text: part.type === 'text' ? part.text : '', ...cacheMark(part.cache_control) },
  );
  if (typeof refusal === 'string') said.push({ type: 'refusal', text: refusal });
  const called = (calls ?? []).flatMap((call): AssistantPart[] => {
    const { id, function: of } = call;
    const proof = thoughtSignatureOf(call);
    return [
      ...thoughts.filter(({ before }) => before === id).map(({ part }) => part),
      ...(proof === undefined ? [] : [{ type: 'reasoning', text: '', signature: proof } as const]),
      { type: 'tool-call', id, name: of.name, arguments: of.arguments },
    ];
  });
  const ids = new Set((calls ?? []).map(({ id }) => id));
  const first = thoughts.filter(({ before }) => before === undefined || !ids.has(before));
  return [...first.map(({ part }) => part), ...said, ...called];
}

interface Thought {
  readonly part: ReasoningPart;
  /** The tool call that it stands before; before the whole message when undefined. */
  readonly before: string | undefined;
}

/** Details that have texts say all that the message's own text says; those of tool calls alone have none. */
function reasoningOf({ reasoning_details: details, ...texts }: AssistantMessage): readonly Thought[] {
  const thoughts = (details ?? []).flatMap((detail): Thought[] => {
    const text = detail.text ?? detail.summary ?? '';
    const signature = detail.signature ?? detail.data ?? '';
    if (text === '' && signature === '') return [];
    const part = { type: 'reasoning', text, ...(signature === '' ? {} : { signature }) } as const;
    return [{ part, before: detail.id ?? undefined }];
  });
  const text = texts.reasoning_content ?? texts.reasoning ?? '';
  if (text === '' || thoughts.some(({ part }) => part.text !== '')) return thoughts;
  return [{ part: { type: 'reasoning', text }, before: undefined }, ...thoughts];
}

/** OpenRouter has the mark beside the function, LiteLLM in it as well. */
function toTool({ function: tool, ...beside }: NonNullable<ChatRequest['tools']>[number]): Tool {
  const { name, description, parameters, strict } = tool;
  return {
    name,
    ...(description == null ? {} : { description }),
    // A function without parameters takes an empty object (OpenAI API reference, function.parameters).
    parameters: parameters ?? { type: 'object', properties: {} },
    ...(strict == null ? {} : { strict }),
    ...cacheMark(beside.cache_control ?? tool.cache_control),
  };
}

function toToolChoice(choice: ChatRequest['tool_choice']): ToolChoice | undefined {
  if (choice == null) return undefined;
  if (typeof choice !== 'string') return { type: 'tool', name: choice.function.name };
  if (choice === 'required') return { type: 'any' };
  return { type: choice === 'none' ? 'none' : 'auto' };
}

function toFormat(format: ChatRequest['response_format']): AnswerFormat | undefined {
  if (format?.type === 'json_object') return { type: 'json' };
  if (format?.type !== 'json_schema') return undefined;
  const { name, description, schema, strict } = format.json_schema;
  return {
    type: 'json-schema',
    schema: schema ?? { type: 'object' },
    name,
    ...(typeof description === 'string' ? { description } : {}),
    ...(strict == null ? {} : { strict }),
  };
}
