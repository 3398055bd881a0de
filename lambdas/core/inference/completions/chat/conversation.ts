/** A chat request as a conversation of no protocol (OpenAI API reference, Create chat completion). */
import { askedReasoning } from '../../upstream/asked-reasoning.ts';
import { cacheMark, cacheMarkOf, systemOf, withLastMarked } from '../../upstream/cache-marks.ts';
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
} from '../../upstream/conversation.ts';
import { sourceOf } from '../../upstream/sources.ts';
import {
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
  partsOf(content).map(({ text, cache_control: control }) => ({
    type: 'text',
    text: text ?? '',
    ...cacheMark(control),
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
  const { role, content } = message;
  if (role === 'assistant')
    return { role, parts: withMarkOf<AssistantPart>(message, assistantParts(message)) };
  if (isSystem(message)) return { role: 'system', parts: withMarkOf(message, textsOf(content)) };
  if (role !== 'tool') return { role: 'user', parts: withMarkOf(message, partsOf(content).map(toUserPart)) };
  return { role: 'user', parts: [toToolResult(message)] };
}

/** A mark within the result is one of the result: other protocols have no place for it. */
function toToolResult(message: ChatMessage): ToolResultPart {
  const texts = withMarkOf(message, textsOf(message.content));
  const cache = texts.findLast((part) => part.cache !== undefined)?.cache;
  return {
    type: 'tool-result',
    id: message.tool_call_id ?? '',
    content: texts.map(({ text }) => ({ type: 'text', text })),
    isError: false,
    ...(cache === undefined ? {} : { cache }),
  };
}

const partsOf = (content: ChatMessage['content']): readonly ContentPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);

function toUserPart({ text, image_url: image, file, input_audio: audio, ...part }: ContentPart): ShownPart {
  const mark = cacheMark(part.cache_control);
  if (image != null) return { type: 'image', source: sourceOf(image.url), ...mark };
  if (audio != null) return { type: 'audio', format: audio.format, data: audio.data, ...mark };
  if (file == null) return { type: 'text', text: text ?? '', ...mark };
  const name = file.filename ?? '';
  return { type: 'document', source: sourceOf(file.file_data), ...(name === '' ? {} : { name }), ...mark };
}

function assistantParts(message: ChatMessage): AssistantPart[] {
  const { content, refusal, tool_calls: calls } = message;
  const thoughts = reasoningOf(message);
  const said = partsOf(content).map(
    ({ text, refusal: declined, cache_control: control }): AssistantPart =>
      declined == null
        ? { type: 'text', text: text ?? '', ...cacheMark(control) }
        : { type: 'refusal', text: declined, ...cacheMark(control) },
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
function reasoningOf({ reasoning_details: details, ...texts }: ChatMessage): readonly Thought[] {
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
  const { name, description, schema, strict } = format.json_schema ?? {};
  return {
    type: 'json-schema',
    schema: schema ?? { type: 'object' },
    ...(name === undefined ? {} : { name }),
    ...(typeof description === 'string' ? { description } : {}),
    ...(strict == null ? {} : { strict }),
  };
}
