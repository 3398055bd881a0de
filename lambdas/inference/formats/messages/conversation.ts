/** A Messages request as a conversation of no protocol (Claude API reference, Create a Message). */

import { cacheMark, cacheMarkOf, systemOf, withLastMarked } from '../../core/upstream/cache-marks.ts';
import type {
  AnswerFormat,
  AssistantPart,
  Conversation,
  ImagePart,
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
import {
  type Block,
  type CustomTool,
  DEFAULT_TEMPERATURE,
  documentText,
  type ImageBlock,
  isBlock,
  isCustomTool,
  isTextDocument,
  type Message,
  type MessagesRequest,
  maxTokensOf,
  pdfSourceOf,
  type ToolResultBlock,
  toBlocks,
  topPOf,
} from './request.ts';

/**
 * Everything of the request that other protocols can say too, marks for a cache among it; a request with
 * anything that cannot be dropped is kept from routes of other protocols.
 */
export function toConversation(request: MessagesRequest): Conversation {
  const { messages, system, tools, tool_choice: choice, stop_sequences: stop, metadata } = request;
  const topP = topPOf(request);
  const format = toFormat(request.output_config);
  const reasoning = toReasoning(request);
  const begin = messages.findIndex(({ role }) => role !== 'system');
  const leading = begin === -1 ? messages : messages.slice(0, begin);
  return {
    ...systemOf([system, ...leading.map(({ content }) => content)].flatMap(toBlocks).flatMap(toText)),
    turns: withLastMarked(
      messages
        .slice(leading.length)
        .map(toTurn)
        .filter(({ parts }) => parts.length > 0),
      cacheMarkOf(request.cache_control),
    ),
    tools: (tools ?? []).filter(isCustomTool).map(toTool),
    ...(choice == null ? {} : { toolChoice: toToolChoice(choice) }),
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

function toTurn({ role, content }: Message): Turn {
  const blocks = toBlocks(content);
  if (role === 'system') return { role, parts: blocks.flatMap(toText) };
  return role === 'user'
    ? { role, parts: blocks.flatMap(toUserPart) }
    : { role, parts: blocks.flatMap(toAssistantPart) };
}

function toText(block: Block): TextPart[] {
  const mark = cacheMark(block.cache_control);
  if (isBlock(block, 'text')) return [{ type: 'text', text: block.text, ...mark }];
  return isTextDocument(block) ? [{ type: 'text', text: documentText(block), ...mark }] : [];
}

const toShown = (block: Block): (TextPart | ImagePart)[] =>
  isBlock(block, 'image') ? [toImage(block)] : toText(block);

function toUserPart(block: Block): UserPart[] {
  if (isBlock(block, 'tool_result')) return [toToolResult(block)];
  const source = pdfSourceOf(block);
  return source === undefined ? toShown(block) : toDocument(block, source);
}

/** Returns the parts for a document. The caller's context for the document precedes it as a text. */
function toDocument({ title, context, cache_control: control }: Block, source: MediaSource): UserPart[] {
  return [
    ...(isSaid(context) ? [{ type: 'text' as const, text: context }] : []),
    { type: 'document', source, ...(isSaid(title) ? { name: title } : {}), ...cacheMark(control) },
  ];
}

const isSaid = (text: unknown): text is string => typeof text === 'string' && text.trim() !== '';

function toAssistantPart(block: Block): AssistantPart[] {
  if (isBlock(block, 'thinking')) return toReasoningPart(block.thinking, block.signature ?? '');
  if (isBlock(block, 'redacted_thinking')) return toReasoningPart('', block.data);
  if (!isBlock(block, 'tool_use')) return toText(block);
  const { id, name, input } = block;
  const mark = cacheMark(block.cache_control);
  return [{ type: 'tool-call', id, name, arguments: JSON.stringify(input), ...mark }];
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
  const mark = cacheMark(control);
  if (source.type === 'url') return { type: 'image', source: { kind: 'url', url: source.url }, ...mark };
  const { media_type: mediaType, data } = source;
  return { type: 'image', source: { kind: 'base64', mediaType, data }, ...mark };
}

/** A mark within the result is one of the result: other protocols have no place for it. */
function toToolResult({
  tool_use_id: id,
  content,
  is_error: isError,
  ...block
}: ToolResultBlock): ToolResultPart {
  const parts = toBlocks(content).flatMap(toShown);
  const cache = cacheMarkOf(block.cache_control) ?? parts.findLast((part) => part.cache !== undefined)?.cache;
  return {
    type: 'tool-result',
    id,
    content: parts.map(({ cache: _mark, ...part }) => part),
    isError: isError === true,
    ...(cache === undefined ? {} : { cache }),
  };
}

function toTool({ name, description, input_schema: parameters, strict, ...tool }: CustomTool): Tool {
  return {
    name,
    ...(description == null ? {} : { description }),
    parameters,
    ...(strict == null ? {} : { strict }),
    ...cacheMark(tool.cache_control),
  };
}

const toToolChoice = (choice: NonNullable<MessagesRequest['tool_choice']>): ToolChoice =>
  choice.type === 'tool' ? { type: 'tool', name: choice.name } : { type: choice.type };

const toFormat = (output: MessagesRequest['output_config']): AnswerFormat | undefined =>
  output?.format == null ? undefined : { type: 'json-schema', schema: output.format.schema };
