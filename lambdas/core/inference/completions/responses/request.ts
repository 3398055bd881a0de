/** The Responses request: its types, which are those of its schema, and its items. */
import type * as z from 'zod';
import type { JsonObject } from '../../../json/lossless-json.ts';
import { isPdfUrl } from '../../upstream/sources.ts';
import type { responsesRequest } from './schema.ts';

export type ResponsesRequest = z.infer<typeof responsesRequest>;

/** An item of any type. */
export type Item = Exclude<ResponsesRequest['input'], string>[number];

/** A tool of any type: a function, a custom one, a namespace of them, or one that the provider runs. */
export type Tool = NonNullable<ResponsesRequest['tools']>[number];

/** A part of a message or of a tool's output. */
export interface Part extends JsonObject {
  readonly type: string;
}

/** The bound of the output, where the caller has set one. */
export const maxTokensOf = ({ max_output_tokens: tokens }: ResponsesRequest): number | undefined =>
  tokens ?? undefined;

/** An item's type, which messages and references may leave out (OpenAI API reference, Create a model response, `input`). */
export function itemType({ type, role, id }: JsonObject): string | undefined {
  if (typeof type === 'string') return type;
  if (type !== null && type !== undefined) return undefined;
  return role === undefined && typeof id === 'string' ? 'item_reference' : 'message';
}

/** The parts of a message's content or of a tool's output; a text is one part. */
export function partsOf(content: unknown): readonly Part[] {
  if (typeof content === 'string') return [{ type: 'input_text', text: content }];
  return Array.isArray(content) ? (content as readonly Part[]) : [];
}

/** All parts of an item that say something: of a message or of a tool's output. */
export function partsOfItem(item: Item): readonly Part[] {
  const type = itemType(item);
  if (type === 'message') return partsOf(item.content);
  return type === 'function_call_output' || type === 'custom_tool_call_output' ? partsOf(item.output) : [];
}

/** A file that other protocols have a place for: a PDF, or what lies at an address. */
export const isPdfPart = ({ type, file_url: url, file_data: data }: Part): boolean =>
  type === 'input_file' && (typeof url === 'string' || (typeof data === 'string' && isPdfUrl(data)));

/** The types of items that every route can be given, in the terms of its protocol. */
export const COMMON_ITEMS: ReadonlySet<string | undefined> = new Set([
  ...['message', 'reasoning', 'function_call', 'function_call_output'],
  ...['custom_tool_call', 'custom_tool_call_output'],
]);
