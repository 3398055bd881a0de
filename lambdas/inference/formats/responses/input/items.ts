/** The items of a Responses request, and the parts of what they say. */
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { isPdfUrl } from '../../../core/upstream/sources.ts';

/** An item of any type. */
export interface ResponsesItem extends JsonObject {
  readonly type?: string | null | undefined;
}

/** A part of a message or of a tool's output. */
export interface ResponsesPart extends JsonObject {
  readonly type: string;
}

/** An item's type, which messages and references may leave out (OpenAI API reference, Create a model response, `input`). */
export function itemType({ type, role, id }: JsonObject): string | undefined {
  if (typeof type === 'string') return type;
  if (type !== null && type !== undefined) return undefined;
  return role === undefined && typeof id === 'string' ? 'item_reference' : 'message';
}

/** The parts of a message's content or of a tool's output; a text is one part. */
export function partsOf(content: unknown): readonly ResponsesPart[] {
  if (typeof content === 'string') return [{ type: 'input_text', text: content }];
  return Array.isArray(content) ? (content as readonly ResponsesPart[]) : [];
}

/** A file that other protocols have a place for: a PDF, or what lies at an address. */
export const isPdfPart = ({ type, file_url: url, file_data: data }: ResponsesPart): boolean =>
  type === 'input_file' && (typeof url === 'string' || (typeof data === 'string' && isPdfUrl(data)));

/** The types of items that every route can be given, in the terms of its protocol. */
export const COMMON_ITEMS: ReadonlySet<string | undefined> = new Set([
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
]);
