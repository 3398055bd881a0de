/** OpenAI's Responses. */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { ApiFormat } from '../../core/completions/api-format.ts';
import { RESPONSES_FIELDS } from './fields.ts';
import { objectsIn } from './input/references.ts';
import { OutputItemSealer } from './output/items.ts';
import { responsesWriter } from './output/response-writer.ts';
import { ResponsesStreamEncoder } from './output/sse.ts';
import { toPayload } from './payload.ts';
import type { ResponsesRequest } from './request.ts';
import { isProviders, type ResponsesTool, ToolNames } from './tool-names.ts';
import { isCallable } from './tool-schema.ts';

/** Returns the indices of the provider's tools that `tool_choice` does not force. */
function optionalTools({ tools, tool_choice: choice }: ResponsesRequest): readonly number[] {
  const declaredTools = tools ?? [];
  const isForced = forcedBy(choice, declaredTools);
  return declaredTools.flatMap((tool, index) => (isProviders(tool) && !isForced(tool) ? [index] : []));
}

/** A choice that only the provider's tools can satisfy forces them. */
function forcedBy(
  choice: unknown,
  declaredTools: readonly ResponsesTool[],
): (tool: ResponsesTool) => boolean {
  if (choice === 'required') return () => declaredTools.every(isProviders);
  if (!isJsonObject(choice) || isCallable(choice)) return () => false;
  if (choice.type !== 'allowed_tools') return ({ type }) => type === choice.type;
  const allowed = objectsIn(choice.tools);
  return ({ type }) =>
    choice.mode === 'required' && !allowed.some(isCallable) && allowed.some((each) => each.type === type);
}

/** The request without these tools; a choice among tools names those that are left. */
function withoutTools(request: ResponsesRequest, indices: ReadonlySet<number>): ResponsesRequest {
  const { tools, tool_choice: choice, ...others } = request;
  const remainingTools = (tools ?? []).filter((_tool, index) => !indices.has(index));
  if (remainingTools.length === 0) return others;
  return {
    ...others,
    tools: remainingTools,
    ...(choice == null ? {} : { tool_choice: choiceAmong(choice, remainingTools) }),
  };
}

function choiceAmong(
  choice: NonNullable<ResponsesRequest['tool_choice']>,
  remainingTools: readonly ResponsesTool[],
): NonNullable<ResponsesRequest['tool_choice']> {
  if (!isJsonObject(choice) || choice.type !== 'allowed_tools') return choice;
  const isRemaining = (tool: JsonObject) =>
    isCallable(tool) || remainingTools.some(({ type }) => type === tool.type);
  const tools = objectsIn(choice.tools).filter(isRemaining);
  return tools.length === 0 ? 'none' : { ...choice, tools };
}

export const responsesFormat: ApiFormat<ResponsesRequest> = {
  protocol: 'openai-responses',
  fields: RESPONSES_FIELDS,
  toPayload,
  optionalTools,
  withoutTools,
  maxTokens: ({ max_output_tokens: tokens }) => ({
    tokens: tokens ?? undefined,
    param: 'max_output_tokens',
    fallback: undefined,
  }),
  withMaxTokens: (request, tokens) => ({ ...request, max_output_tokens: tokens }),
  choices: () => 1,
  responseId: (ulid) => `resp_${ulid}`,
  createWriter: ({ request, responseId, createdMs, clock, sealedTokens }) => {
    const outgoing = new OutputItemSealer(request, sealedTokens);
    const names = new ToolNames(request.tools ?? []);
    const options = { request, responseId, createdMs };
    const stream = new ResponsesStreamEncoder(options, outgoing);
    return {
      writer: (written) => responsesWriter({ ...options, clock, names, outgoing }, written),
      encoder: stream,
      events: stream.events,
    };
  },
};
