/** How much of a Messages request counts as prompt. */
import type { PromptSize } from '../estimate.ts';
import { type Block, type DocumentBlock, isBlock, type MessagesRequest, toBlocks } from './request.ts';

/**
 * A page of a PDF is read as its text, at most about 3,000 tokens, and as an image (Claude API docs, PDF support,
 * estimated costs): together no more than three images.
 */
const IMAGES_PER_PAGE = 3;

/** What a page of text takes with its share of the fonts; a scanned one takes several times as much. */
const BYTES_PER_PAGE = 20_000;

/** The most pages that models with a context window of the usual size take (Claude API docs, PDF support). */
const MAX_PAGES = 100;

/** For a document that only the upstream gets to see: more than most have. */
const UNSEEN_PAGES = 20;

/** Everything of the request that an upstream counts as prompt: text, tool calls, tools, schemas, images, pages. */
export function promptSize(request: MessagesRequest): PromptSize {
  const size = new Size();
  const { messages, system, tools, output_config: output } = request;
  for (const block of toBlocks(system)) size.add(block);
  for (const { content } of messages) for (const block of toBlocks(content)) size.add(block);
  if (tools != null && tools.length > 0) size.texts.push(JSON.stringify(tools));
  if (output?.format != null) size.texts.push(JSON.stringify(output.format));
  return { texts: size.texts, images: size.images, messages: messages.length + (system == null ? 0 : 1) };
}

class Size {
  readonly texts: string[] = [];
  images = 0;

  add(block: Block): void {
    if (isBlock(block, 'text')) this.texts.push(block.text);
    else if (isBlock(block, 'image')) this.images += 1;
    else if (isBlock(block, 'tool_use')) this.texts.push(block.name, JSON.stringify(block.input));
    else if (isBlock(block, 'tool_result')) for (const inner of toBlocks(block.content)) this.add(inner);
    else if (isBlock(block, 'document')) this.#addDocument(block);
    else this.texts.push(textOf(block));
  }

  #addDocument({ source, title, context }: DocumentBlock): void {
    for (const text of [title, context]) if (typeof text === 'string') this.texts.push(text);
    if (source.type === 'text') this.texts.push(source.data);
    else if (source.type === 'content') for (const inner of toBlocks(source.content)) this.add(inner);
    else this.images += IMAGES_PER_PAGE * (source.type === 'base64' ? pagesOf(source.data) : UNSEEN_PAGES);
  }
}

/** Four characters of base64 are three bytes. */
const pagesOf = (base64: string): number =>
  Math.min(MAX_PAGES, Math.ceil((base64.length * 3) / 4 / BYTES_PER_PAGE));

/** Of thoughts the words; the signature beside them is not read. Of any other block all that it holds. */
const textOf = ({ type, ...fields }: Block): string =>
  type === 'thinking' && typeof fields.thinking === 'string' ? fields.thinking : JSON.stringify(fields);
