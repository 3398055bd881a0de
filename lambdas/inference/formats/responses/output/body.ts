/** The response object (OpenAI API reference, The response object; every field that the Open Responses specification requires). */
import * as z from 'zod';
import type { Body } from '../../../../platform/core/api/response-schema.ts';
import { isJsonObject, type JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { type TokenUsage, writtenTokens } from '../../../core/pricing/token-usage.ts';
import type { Finish } from '../../../core/upstream/conversation.ts';
import type { ResponsesRequest } from '../request.ts';
import type { ResponsesTool } from '../tool-names.ts';

export const usageSchema = z.looseObject({
  input_tokens: z.int(),
  input_tokens_details: z.looseObject({ cached_tokens: z.int() }),
  output_tokens: z.int(),
  output_tokens_details: z.looseObject({ reasoning_tokens: z.int() }),
  total_tokens: z.int(),
});

/** Usage in the API's format, with what else the route reported. */
export function usageBody({
  promptTokens,
  completionTokens,
  cachedTokens,
  cacheWrites,
  reasoningTokens,
  reported,
}: TokenUsage): Body<typeof usageSchema> {
  const written = writtenTokens(cacheWrites);
  return {
    ...reported,
    input_tokens: promptTokens,
    input_tokens_details: {
      ...(reported?.input_tokens_details as object | undefined),
      cached_tokens: cachedTokens,
      ...(written === undefined ? {} : { cache_write_tokens: written }),
    },
    output_tokens: completionTokens,
    output_tokens_details: {
      ...(reported?.output_tokens_details as object | undefined),
      reasoning_tokens: reasoningTokens ?? 0,
    },
    total_tokens: promptTokens + completionTokens,
  };
}

export interface ResponseOptions {
  readonly request: ResponsesRequest;
  readonly responseId: string;
  /** The start of the call, in milliseconds since the epoch. */
  readonly createdMs: number;
}

/** The first events of every stream, in this order. */
export const OPENING_EVENTS = ['response.created', 'response.in_progress'] as const;

/**
 * Returns a response at its start, which repeats the requested options. It is not stored. `served` is the response of the
 * route at its start: what became of the model, the truncation and the effort.
 */
export function openingBody(
  { request, responseId, createdMs }: ResponseOptions,
  served: JsonObject = {},
): JsonObject {
  const { text, reasoning } = request;
  const isEffortLost = isJsonObject(served.reasoning) && served.reasoning.effort === null;
  return {
    id: responseId,
    object: 'response',
    created_at: Math.floor(createdMs / 1000),
    completed_at: null,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    model: typeof served.model === 'string' ? served.model : request.model,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: {
      effort: isEffortLost ? null : (reasoning?.effort ?? null),
      summary: reasoning?.summary ?? null,
    },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: 'default',
    store: false,
    temperature: request.temperature ?? 1,
    text: { ...text, format: formatBody(text?.format) },
    tool_choice: request.tool_choice ?? 'auto',
    tools: (request.tools ?? []).map(toolBody),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    truncation: typeof served.truncation === 'string' ? served.truncation : 'disabled',
    usage: null,
    user: request.user ?? null,
    metadata: request.metadata ?? {},
  };
}

/** A format with every field that the Open Responses specification requires of it (JsonSchemaResponseFormat). */
function formatBody(format: unknown): JsonObject {
  if (!isJsonObject(format)) return { type: 'text' };
  if (format.type !== 'json_schema') return format;
  const { description = null, strict } = format;
  return { ...format, description, strict: strict ?? false };
}

/** A function with every field that the Open Responses specification requires of it (FunctionTool), null where the caller left it out. */
const toolBody = (tool: ResponsesTool): ResponsesTool =>
  tool.type === 'function' ? { description: null, parameters: null, strict: null, ...tool } : tool;

/** Returns the ending of a response from a route of another protocol. */
export function endingBody({ reason }: Finish, declined: boolean, nowMs: number): JsonObject {
  const cut = CUT_SHORT[reason];
  if (cut !== undefined && !(reason === 'refusal' && declined))
    return { status: 'incomplete', incomplete_details: { reason: cut } };
  return { status: 'completed', completed_at: Math.floor(nowMs / 1000) };
}

/** OpenAI API reference, `incomplete_details.reason`. A refusal with a refusal text is a complete response. */
const CUT_SHORT: Readonly<Partial<Record<Finish['reason'], string>>> = {
  length: 'max_output_tokens',
  context: 'max_output_tokens',
  refusal: 'content_filter',
};

/** The fields of a native route's response that say what became of it; all others are the request's own. */
export function nativeEnding({
  status,
  incomplete_details: cut,
  service_tier: tier,
  completed_at: at,
}: JsonObject): JsonObject {
  return {
    ...(status === undefined ? {} : { status }),
    ...(cut === undefined ? {} : { incomplete_details: cut }),
    ...(tier === undefined ? {} : { service_tier: tier }),
    ...(at === undefined ? {} : { completed_at: at }),
  };
}
