/** A chat request as a conversation of no protocol (OpenAI API reference, Create chat completion). */

import {
  cacheBreakpointOf,
  cacheLifetimeOf,
  systemOf,
  withLastBreakpoint,
} from '../../core/upstream/cache-breakpoints.ts';
import type {
  AssistantPart,
  Conversation,
  OutputFormat,
  ReasoningPart,
  ShownPart,
  TextPart,
  Tool,
  ToolChoice,
  ToolResultPart,
  Turn,
} from '../../core/upstream/conversation.ts';
import { reasoningRequestOf } from '../../core/upstream/effort.ts';
import { detailOf, identifiersOf } from '../../core/upstream/openai-fields.ts';
import { sourceOf } from '../../core/upstream/sources.ts';
import { type CompleteMessage, type CompleteToolMessage, completeMessages } from './complete-messages.ts';
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
  const { stop, tools, top_p: topP, parallel_tool_calls: parallelToolCalls } = request;
  const messages = completeMessages(request.messages);
  const toolChoice = toToolChoice(request.tool_choice);
  const format = toFormat(request.response_format);
  const reasoning = reasoningRequestOf(request);
  const conversationStart = messages.findIndex((message) => !isSystem(message));
  const leading = conversationStart === -1 ? messages : messages.slice(0, conversationStart);
  return {
    ...systemOf(leading.flatMap((message) => withBreakpointOf(message, textPartsOf(message.content)))),
    turns: withLastBreakpoint(
      messages.slice(leading.length).map(toTurn),
      cacheLifetimeOf(request.cache_control),
    ),
    tools: (tools ?? []).map(toTool),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(parallelToolCalls == null ? {} : { parallelToolCalls }),
    ...(format === undefined ? {} : { format }),
    ...(reasoning === undefined ? {} : { reasoning }),
    maxTokens: maxTokensOf(request),
    temperature: request.temperature ?? DEFAULT_TEMPERATURE,
    // A share of 1 drops nothing. Protocols that reject it next to a temperature would lose the temperature.
    ...(topP == null || topP === 1 ? {} : { topP }),
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
    ...identifiersOf(request),
  };
}

const isSystem = ({ role }: ChatMessage) => role === 'system' || role === 'developer';

const textPartsOf = (content: ChatMessage['content']): TextPart[] =>
  partsOf(content).map((part) => ({
    type: 'text',
    text: part.type === 'text' ? part.text : '',
    ...cacheBreakpointOf(part.cache_control),
  }));

/**
 * Returns the parts of a message. A cache breakpoint of the message itself, as LiteLLM accepts it, applies to its last
 * part.
 */
function withBreakpointOf<Part extends AssistantPart | ShownPart>(
  { cache_control: control }: ChatMessage,
  parts: readonly Part[],
): Part[] {
  const breakpoint = cacheBreakpointOf(control);
  const last = parts.findLastIndex(({ type }) => type !== 'reasoning');
  return parts.map((part, index) => (index === last ? { ...breakpoint, ...part } : part));
}

function toTurn(message: CompleteMessage): Turn {
  switch (message.role) {
    case 'assistant':
      return { role: 'assistant', parts: withBreakpointOf<AssistantPart>(message, assistantParts(message)) };
    case 'user':
      return { role: 'user', parts: withBreakpointOf(message, partsOf(message.content).map(toUserPart)) };
    case 'tool':
      return { role: 'user', parts: [toToolResult(message)] };
    default:
      return { role: 'system', parts: withBreakpointOf(message, textPartsOf(message.content)) };
  }
}

/**
 * Returns the result of a tool. A cache breakpoint within the result applies to the whole result, because other
 * protocols have no field for it.
 */
function toToolResult(message: CompleteToolMessage): ToolResultPart {
  const textParts = withBreakpointOf(message, textPartsOf(message.content));
  const cache = textParts.findLast((part) => part.cache !== undefined)?.cache;
  return {
    type: 'tool-result',
    id: message.tool_call_id,
    content: textParts.map(({ text }) => ({ type: 'text', text })),
    isError: false,
    ...(cache === undefined ? {} : { cache }),
  };
}

const partsOf = (content: ChatMessage['content']): readonly ContentPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);

function toUserPart(part: ContentPart): ShownPart {
  const breakpoint = cacheBreakpointOf(part.cache_control);
  switch (part.type) {
    case 'image_url':
      return {
        type: 'image',
        source: sourceOf(part.image_url.url),
        ...detailOf(part.image_url),
        ...breakpoint,
      };
    case 'input_audio':
      return { type: 'audio', format: part.input_audio.format, data: part.input_audio.data, ...breakpoint };
    case 'file': {
      const name = part.file.filename ?? '';
      const source = sourceOf(part.file.file_data);
      return { type: 'document', source, ...(name === '' ? {} : { name }), ...breakpoint };
    }
    default:
      return { type: 'text', text: part.type === 'text' ? part.text : '', ...breakpoint };
  }
}

function assistantParts(message: AssistantMessage): AssistantPart[] {
  const { content, refusal, tool_calls: calls } = message;
  const thoughts = reasoningOf(message);
  const contentParts = partsOf(content).map(
    (part): AssistantPart =>
      part.type === 'refusal'
        ? { type: 'refusal', text: part.refusal, ...cacheBreakpointOf(part.cache_control) }
        : {
            type: 'text',
            text: part.type === 'text' ? part.text : '',
            ...cacheBreakpointOf(part.cache_control),
          },
  );
  if (typeof refusal === 'string') contentParts.push({ type: 'refusal', text: refusal });
  const called = (calls ?? []).flatMap((call): AssistantPart[] => {
    const { id, function: of } = call;
    const thoughtSignature = thoughtSignatureOf(call);
    return [
      ...thoughts.filter(({ before }) => before === id).map(({ part }) => part),
      ...(thoughtSignature === undefined
        ? []
        : [{ type: 'reasoning', text: '', signature: thoughtSignature } as const]),
      { type: 'tool-call', id, name: of.name, arguments: of.arguments },
    ];
  });
  const ids = new Set((calls ?? []).map(({ id }) => id));
  const first = thoughts.filter(({ before }) => before === undefined || !ids.has(before));
  return [...first.map(({ part }) => part), ...contentParts, ...called];
}

interface Thought {
  readonly part: ReasoningPart;
  /** The tool call that it stands before; before the whole message when undefined. */
  readonly before: string | undefined;
}

/**
 * Returns the reasoning of a message. Details with text repeat the message's own text, which is therefore used only if
 * no detail has text. Details of tool calls have none.
 */
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

/** Returns the tool. OpenRouter sends its cache breakpoint next to the function, LiteLLM also within it. */
function toTool({ function: tool, ...otherFields }: NonNullable<ChatRequest['tools']>[number]): Tool {
  const { name, description, parameters, strict } = tool;
  return {
    name,
    ...(description == null ? {} : { description }),
    // A function without parameters takes an empty object (OpenAI API reference, function.parameters).
    parameters: parameters ?? { type: 'object', properties: {} },
    ...(strict == null ? {} : { strict }),
    ...cacheBreakpointOf(otherFields.cache_control ?? tool.cache_control),
  };
}

function toToolChoice(choice: ChatRequest['tool_choice']): ToolChoice | undefined {
  if (choice == null) return undefined;
  if (typeof choice !== 'string') return { type: 'tool', name: choice.function.name };
  if (choice === 'required') return { type: 'any' };
  return { type: choice === 'none' ? 'none' : 'auto' };
}

function toFormat(format: ChatRequest['response_format']): OutputFormat | undefined {
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
