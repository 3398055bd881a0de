/** The Responses request: the fields that matter to routing, money and its answer, and its items. */
import type { JsonObject } from '../../../json/lossless-json.ts';
import type { CompletionRequest } from '../api-format.ts';

/** The fields of a validated request that matter here; all others are forwarded unseen. */
export interface ResponsesRequest extends JsonObject, CompletionRequest {
  readonly input: string | readonly Item[];
  readonly instructions?: string | null | undefined;
  readonly max_output_tokens?: number | null | undefined;
  readonly temperature?: number | null | undefined;
  readonly top_p?: number | null | undefined;
  readonly tools?: readonly Tool[] | null | undefined;
  readonly tool_choice?: unknown;
  readonly parallel_tool_calls?: boolean | null | undefined;
  readonly text?: JsonObject | null | undefined;
  readonly reasoning?:
    | { readonly effort?: string | null | undefined; readonly summary?: string | null | undefined }
    | null
    | undefined;
  readonly truncation?: string | null | undefined;
  readonly metadata?: JsonObject | null | undefined;
  readonly include?: readonly string[] | null | undefined;
  readonly store?: boolean | null | undefined;
  readonly service_tier?: string | null | undefined;
  readonly user?: string | null | undefined;
  readonly safety_identifier?: string | null | undefined;
  readonly prompt_cache_key?: string | null | undefined;
}

/** An item of any type. */
export interface Item extends JsonObject {
  readonly type?: string | null | undefined;
}

/** A tool of any type: a function, a custom one, a namespace of them, or one that the provider runs. */
export interface Tool extends JsonObject {
  readonly type: string;
}
