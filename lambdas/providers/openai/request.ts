/** A chat call as an OpenAI-compatible server takes it (OpenAI API reference, Create chat completion). */
import type { ChatPayload, JsonObject } from '../../core/inference/provider.ts';

/**
 * The request body: what the caller sent, unknown fields included, under the route's own model name. A stream always
 * asks for usage, because settlement needs it whether or not the caller does.
 */
export function toRequestBody(payload: ChatPayload, upstreamModel: string): JsonObject {
  const { stream_options: options, ...body } = payload.body;
  if (!payload.stream) return { ...body, model: upstreamModel, stream: false };
  return {
    ...body,
    model: upstreamModel,
    stream: true,
    stream_options: { ...(options as JsonObject | undefined), include_usage: true },
  };
}
