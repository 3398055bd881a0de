/** The Messages request: the fields that matter to routing and money, their defaults, and its content blocks. */

import type { JsonObject } from '../../../json/lossless-json.ts';
import type { TOOL_CHOICES } from '../../upstream/conversation.ts';
import { PDF, type Source } from '../../upstream/sources.ts';
import type { CompletionRequest } from '../api-format.ts';

/** Defaults of the interface where they differ from the protocol's own (interface, MessagesRequest). */
export const DEFAULT_MAX_TOKENS = 256;
export const DEFAULT_TEMPERATURE = 0.7;

/** The fields of a validated Messages request that matter here; all others are forwarded unseen. */
export interface MessagesRequest extends JsonObject, CompletionRequest {
  readonly messages: readonly Message[];
  readonly system?: string | readonly TextBlock[] | null | undefined;
  readonly max_tokens?: number | null | undefined;
  readonly temperature?: number | null | undefined;
  readonly top_p?: number | null | undefined;
  readonly stop_sequences?: readonly string[] | null | undefined;
  readonly tools?: readonly Tool[] | null | undefined;
  readonly tool_choice?: ToolChoice | null | undefined;
  readonly thinking?:
    | {
        readonly type: string;
        readonly budget_tokens?: number | null | undefined;
        readonly display?: unknown;
      }
    | null
    | undefined;
  readonly output_config?:
    | {
        readonly format?: { readonly schema: JsonObject } | null | undefined;
        readonly effort?: string | null | undefined;
      }
    | null
    | undefined;
  readonly output_format?: { readonly schema: JsonObject } | null | undefined;
  readonly metadata?: { readonly user_id?: string | null | undefined } | null | undefined;
}

export interface Message {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string | readonly Block[];
}

/** A content block of any kind; `isBlock` recognises the kinds whose fields were checked. */
export interface Block extends JsonObject {
  readonly type: string;
}

export interface TextBlock extends Block {
  readonly type: 'text';
  readonly text: string;
}

export interface ImageBlock extends Block {
  readonly type: 'image';
  readonly source:
    | { readonly type: 'base64'; readonly media_type: string; readonly data: string }
    | { readonly type: 'url'; readonly url: string };
}

export interface ToolUseBlock extends Block {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

export interface ToolResultBlock extends Block {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content?: Message['content'] | null | undefined;
  readonly is_error?: boolean | null | undefined;
}

export interface DocumentBlock extends Block {
  readonly type: 'document';
  readonly source:
    | { readonly type: 'base64'; readonly media_type?: unknown; readonly data: string }
    | { readonly type: 'text'; readonly data: string }
    | { readonly type: 'content'; readonly content: Message['content'] }
    | { readonly type: 'url'; readonly url?: unknown }
    | { readonly type: 'file' };
  readonly title?: unknown;
  readonly context?: unknown;
}

export interface ThinkingBlock extends Block {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature?: string | null | undefined;
}

export interface RedactedThinkingBlock extends Block {
  readonly type: 'redacted_thinking';
  readonly data: string;
}

interface Blocks {
  readonly text: TextBlock;
  readonly image: ImageBlock;
  readonly tool_use: ToolUseBlock;
  readonly tool_result: ToolResultBlock;
  readonly document: DocumentBlock;
  readonly thinking: ThinkingBlock;
  readonly redacted_thinking: RedactedThinkingBlock;
}

export const isBlock = <Kind extends keyof Blocks>(block: Block, kind: Kind): block is Blocks[Kind] =>
  block.type === kind;

/** A document that is a text, and is not to be cited: any protocol can say it (Claude docs, Citations, Plain text documents). */
export const isTextDocument = (block: Block): block is DocumentBlock & { readonly source: TextSource } =>
  isBlock(block, 'document') &&
  block.source.type === 'text' &&
  block.source.data.trim() !== '' &&
  !isCited(block);

function isCited({ citations }: DocumentBlock): boolean {
  const { enabled } = Object(citations) as { readonly enabled?: unknown };
  return enabled === true;
}

/** Where a PDF is that other protocols have a place for; undefined for any other document. */
export function pdfSourceOf(block: Block): Source | undefined {
  if (!isBlock(block, 'document') || isCited(block)) return undefined;
  const { source } = block;
  if (source.type === 'url')
    return typeof source.url === 'string' ? { kind: 'url', url: source.url } : undefined;
  if (source.type !== 'base64' || source.media_type !== PDF) return undefined;
  return { kind: 'base64', mediaType: PDF, data: source.data };
}

interface TextSource {
  readonly type: 'text';
  readonly data: string;
}

/** What the document says, its title and context first. */
export function documentText({
  title,
  context,
  source,
}: DocumentBlock & { readonly source: TextSource }): string {
  const said = [title, context, source.data].filter((text) => typeof text === 'string' && text.trim() !== '');
  return said.join('\n\n');
}

/** A string is short for one text block. */
export const toBlocks = (content: Message['content'] | null | undefined): readonly Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);

/** Every block of the messages, those within others included. */
export function allBlocks({ messages }: MessagesRequest): readonly Block[] {
  return messages.flatMap(({ content }) => toBlocks(content).flatMap(withInner));
}

function withInner(block: Block): readonly Block[] {
  if (isBlock(block, 'tool_result')) return [block, ...toBlocks(block.content).flatMap(withInner)];
  if (!isBlock(block, 'document') || block.source.type !== 'content') return [block];
  return [block, ...toBlocks(block.source.content)];
}

/** A tool of the caller's own, or one that the protocol's servers define. */
export interface Tool extends JsonObject {
  readonly type?: string | null | undefined;
}

export interface CustomTool extends Tool {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly input_schema: JsonObject;
  readonly strict?: boolean | null | undefined;
}

export const isCustomTool = (tool: Tool): tool is CustomTool => tool.type == null || tool.type === 'custom';

interface ParallelToolUse {
  readonly disable_parallel_tool_use?: boolean | null | undefined;
}

export type ToolChoice =
  | (ParallelToolUse & { readonly type: (typeof TOOL_CHOICES)[number] })
  | (ParallelToolUse & { readonly type: 'tool'; readonly name: string });

export const maxTokensOf = (request: MessagesRequest): number => request.max_tokens ?? DEFAULT_MAX_TOKENS;

/** A share of 1 leaves nothing out, so it says as much as none. */
export const topPOf = ({ top_p: topP }: MessagesRequest): number | undefined =>
  topP == null || topP === 1 ? undefined : topP;
