/** The Messages request: its types, which are those of its schema, its defaults, and its content blocks. */
import type * as z from 'zod';
import { DEFAULT_MAX_TOKENS } from '../../core/completions/output-default.ts';
import { type MediaSource, PDF } from '../../core/upstream/sources.ts';
import type { blockSchemas, customTool, messagesRequest } from './schema.ts';

/** A default of the interface that differs from the protocol's own (interface, MessagesRequest). */
export const DEFAULT_TEMPERATURE = 0.7;

export type MessagesRequest = z.infer<typeof messagesRequest>;

export type Message = MessagesRequest['messages'][number];

/** A content block of any type; `isBlock` recognizes the types whose fields were checked. */
export type MessagesBlock = Exclude<Message['content'], string>[number];

type CheckedBlocks = {
  readonly [Type in keyof typeof blockSchemas]: z.infer<(typeof blockSchemas)[Type]> & {
    readonly type: Type;
  };
};

export type ImageBlock = CheckedBlocks['image'];
export type ToolResultBlock = CheckedBlocks['tool_result'];
type DocumentBlock = CheckedBlocks['document'];

export const isBlock = <Kind extends keyof CheckedBlocks>(
  block: MessagesBlock,
  kind: Kind,
): block is MessagesBlock & CheckedBlocks[Kind] => block.type === kind;

/** A document that is a text, and is not to be cited: any protocol can say it (Claude docs, Citations, Plain text documents). */
export const isTextDocument = (
  block: MessagesBlock,
): block is DocumentBlock & { readonly source: TextSource } =>
  isBlock(block, 'document') &&
  block.source.type === 'text' &&
  typeof block.source.data === 'string' &&
  block.source.data.trim() !== '' &&
  !isCited(block);

function isCited({ citations }: DocumentBlock): boolean {
  const { enabled } = Object(citations) as { readonly enabled?: unknown };
  return enabled === true;
}

/** Returns the source of a PDF that other protocols support; undefined for any other document. */
export function pdfSourceOf(block: MessagesBlock): MediaSource | undefined {
  if (!isBlock(block, 'document') || isCited(block)) return undefined;
  const { source } = block;
  if (source.type === 'url')
    return typeof source.url === 'string' ? { kind: 'url', url: source.url } : undefined;
  const { type, media_type: mediaType, data } = source;
  return type === 'base64' && mediaType === PDF && typeof data === 'string'
    ? { kind: 'base64', mediaType, data }
    : undefined;
}

interface TextSource {
  readonly type: 'text';
  readonly data: string;
}

/** Returns the text of a document, its title and context first. */
export function documentText({
  title,
  context,
  source,
}: DocumentBlock & { readonly source: TextSource }): string {
  const paragraphs = [title, context, source.data].filter(
    (text) => typeof text === 'string' && text.trim() !== '',
  );
  return paragraphs.join('\n\n');
}

/** A string is short for one text block. */
export const toBlocks = (content: Message['content'] | null | undefined): readonly MessagesBlock[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);

/** A tool of the caller's own, or one that the protocol's servers define. */
export type MessagesTool = NonNullable<MessagesRequest['tools']>[number];

export type CustomTool = MessagesTool & z.infer<typeof customTool>;

export const isCustomTool = (tool: MessagesTool): tool is CustomTool =>
  tool.type == null || tool.type === 'custom';

export const maxTokensOf = (request: MessagesRequest): number => request.max_tokens ?? DEFAULT_MAX_TOKENS;

/** Returns the share. A share of 1 drops nothing and equals an absent one. */
export const topPOf = ({ top_p: topP }: MessagesRequest): number | undefined =>
  topP == null || topP === 1 ? undefined : topP;
