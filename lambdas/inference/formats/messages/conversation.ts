/** A Messages request as a conversation of no protocol (Claude API reference, Create a Message). */

import {
  cacheBreakpointOf,
  cacheLifetimeOf,
  systemOf,
  withLastBreakpoint,
} from '../../core/upstream/cache-breakpoints.ts';
import type {
  AssistantPart,
  Conversation,
  ImagePart,
  OutputFormat,
  ReasoningRequest,
  TextPart,
  Tool,
  ToolChoice,
  ToolResultPart,
  Turn,
  UserPart,
} from '../../core/upstream/conversation.ts';
import { knownEffort } from '../../core/upstream/conversation.ts';
import type { MediaSource } from '../../core/upstream/sources.ts';
import { RouteToolNames } from '../../core/upstream/tool-names.ts';
import {
  type CustomTool,
  DEFAULT_TEMPERATURE,
  documentText,
  type ImageBlock,
  isBlock,
  isCustomTool,
  isTextDocument,
  type Message,
  type MessagesBlock,
  type MessagesRequest,
  maxTokensOf,
  pdfSourceOf,
  type ToolResultBlock,
  toBlocks,
  topPOf,
} from './request.ts';

/**
 * Converts everything in the request that other protocols support, cache breakpoints included. A request with a field
 * that cannot be dropped is never sent to routes of other protocols.
 */
export function toConversation(request: MessagesRequest): Conversation {
  const { messages, system, tools, tool_choice: choice, stop_sequences: stop, metadata } = request;
  const names = toolNamesOf(request);
  const topP = topPOf(request);
  const format = toFormat(request.output_config);
  const reasoning = toReasoning(request);
  const conversationStart = messages.findIndex(({ role }) => role !== 'system');
  const leading = conversationStart === -1 ? messages : messages.slice(0, conversationStart);
  return {
    ...systemOf([system, ...leading.map(({ content }) => content)].flatMap(toBlocks).flatMap(toText)),
    turns: withLastBreakpoint(
      messages
        .slice(leading.length)
        .map((message) => toTurn(message, names))
        .filter(({ parts }) => parts.length > 0),
      cacheLifetimeOf(request.cache_control),
    ),
    tools: (tools ?? []).filter(isCustomTool).map((tool) => toTool(tool, names)),
    ...(choice == null ? {} : { toolChoice: toToolChoice(choice, names) }),
    ...(choice?.disable_parallel_tool_use === true ? { parallelToolCalls: false } : {}),
    ...(format === undefined ? {} : { format }),
    ...(reasoning === undefined ? {} : { reasoning }),
    maxTokens: maxTokensOf(request),
    temperature: request.temperature ?? DEFAULT_TEMPERATURE,
    ...(topP === undefined ? {} : { topP }),
    stop: stop ?? [],
    ...(metadata?.user_id == null ? {} : { user: metadata.user_id }),
  };
}

/** Returns the names of the request's tools, and of those that its messages have called. */
export const toolNamesOf = ({
  tools,
  messages,
}: Pick<MessagesRequest, 'tools' | 'messages'>): RouteToolNames =>
  new RouteToolNames([
    ...(tools ?? []).filter(isCustomTool).map(({ name }) => name),
    ...messages.flatMap(({ content }) =>
      toBlocks(content).flatMap((block) => (isBlock(block, 'tool_use') ? block.name : [])),
    ),
  ]);

function toTurn({ role, content }: Message, names: RouteToolNames): Turn {
  const blocks = toBlocks(content);
  if (role === 'system') return { role, parts: blocks.flatMap(toText) };
  return role === 'user'
    ? { role, parts: blocks.flatMap(toUserPart) }
    : { role, parts: blocks.flatMap((block) => toAssistantPart(block, names)) };
}

function toText(block: MessagesBlock): TextPart[] {
  const breakpoint = cacheBreakpointOf(block.cache_control);
  if (isBlock(block, 'text')) return [{ type: 'text', text: block.text, ...breakpoint }];
  return isTextDocument(block) ? [{ type: 'text', text: documentText(block), ...breakpoint }] : [];
}

const toShown = (block: MessagesBlock): (TextPart | ImagePart)[] =>
  isBlock(block, 'image') ? [toImage(block)] : toText(block);

function toUserPart(block: MessagesBlock): UserPart[] {
  if (isBlock(block, 'tool_result')) return [toToolResult(block)];
  const source = pdfSourceOf(block);
  return source === undefined ? toShown(block) : toDocument(block, source);
}

/** Returns the parts for a document. The caller's context for the document precedes it as a text. */
function toDocument(
  { title, context, cache_control: control }: MessagesBlock,
  source: MediaSource,
): UserPart[] {
  return [
    ...(isNonBlank(context) ? [{ type: 'text' as const, text: context }] : []),
    {
      type: 'document',
      source,
      ...(isNonBlank(title) ? { name: title } : {}),
      ...cacheBreakpointOf(control),
    },
  ];
}

const isNonBlank = (text: unknown): text is string => typeof text === 'string' && text.trim() !== '';

function toAssistantPart(block: MessagesBlock, names: RouteToolNames): AssistantPart[] {
  if (isBlock(block, 'thinking')) return toReasoningPart(block.thinking, block.signature ?? '');
  if (isBlock(block, 'redacted_thinking')) return toReasoningPart('', block.data);
  if (!isBlock(block, 'tool_use')) return toText(block);
  const { id, name, input } = block;
  const breakpoint = cacheBreakpointOf(block.cache_control);
  const routeName = names.routeNameOf(name);
  return [{ type: 'tool-call', id, name: routeName, arguments: JSON.stringify(input), ...breakpoint }];
}

const toReasoningPart = (text: string, signature: string): AssistantPart[] =>
  text === '' && signature === ''
    ? []
    : [{ type: 'reasoning', text, ...(signature === '' ? {} : { signature }) }];

/** Claude API docs, Extended thinking; Adaptive thinking; Effort. An effort alone does not make a model think. */
function toReasoning({ thinking, output_config: output }: MessagesRequest): ReasoningRequest | undefined {
  if (thinking == null) return undefined;
  if (thinking.type === 'disabled') return { effort: 'none' };
  const effort = knownEffort(output?.effort) ?? (thinking.budget_tokens == null ? 'high' : undefined);
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(thinking.budget_tokens == null ? {} : { maxTokens: thinking.budget_tokens }),
  };
}

function toImage({ source, cache_control: control }: ImageBlock): ImagePart {
  const breakpoint = cacheBreakpointOf(control);
  if (source.type === 'url')
    return { type: 'image', source: { kind: 'url', url: source.url }, ...breakpoint };
  const { media_type: mediaType, data } = source;
  return { type: 'image', source: { kind: 'base64', mediaType, data }, ...breakpoint };
}

/**
 * Returns the result of a tool. A cache breakpoint within the result applies to the whole result, because other
 * protocols have no field for it.
 */
function toToolResult({
  tool_use_id: id,
  content,
  is_error: isError,
  ...block
}: ToolResultBlock): ToolResultPart {
  const parts = toBlocks(content).flatMap(toShown);
  const cache =
    cacheLifetimeOf(block.cache_control) ?? parts.findLast((part) => part.cache !== undefined)?.cache;
  return {
    type: 'tool-result',
    id,
    content: parts.map(({ cache: _cache, ...part }) => part),
    isError: isError === true,
    ...(cache === undefined ? {} : { cache }),
  };
}

function toTool(
  { name, description, input_schema: parameters, strict, ...tool }: CustomTool,
  names: RouteToolNames,
): Tool {
  return {
    name: names.routeNameOf(name),
    ...(description == null ? {} : { description }),
    parameters,
    ...(strict == null ? {} : { strict }),
    ...cacheBreakpointOf(tool.cache_control),
  };
}

const toToolChoice = (
  choice: NonNullable<MessagesRequest['tool_choice']>,
  names: RouteToolNames,
): ToolChoice =>
  choice.type === 'tool' ? { type: 'tool', name: names.routeNameOf(choice.name) } : { type: choice.type };

const toFormat = (output: MessagesRequest['output_config']): OutputFormat | undefined =>
  output?.format == null ? undefined : { type: 'json-schema', schema: output.format.schema };
