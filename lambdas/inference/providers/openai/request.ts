/** A chat call as an OpenAI-compatible server takes it (OpenAI API reference, Create chat completion). */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import type { Conversation, OutputFormat, Tool, ToolChoice } from '../../core/upstream/conversation.ts';
import type { ChatPayload } from '../../core/upstream/provider.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { conversationFields } from '../openai-formats/conversation-fields.ts';
import { forHost } from '../openai-formats/dialect-request.ts';
import { nativeReasoning, reasoningFields } from '../openai-formats/reasoning-request.ts';
import { nativeMessages } from '../openai-formats/returned-reasoning.ts';
import { type MessageContext, toMessages } from './content.ts';

type Target = Pick<CatalogRoute, 'upstream_model' | 'reasoning' | 'dialect'>;

/**
 * Returns the request body. For a caller of this protocol, it contains the caller's fields, unknown ones included, the
 * route's model name, and returned reasoning in the route's form. For any other caller, it contains the conversation. A
 * stream always requests usage, because settlement needs it even if the caller does not.
 */
export function toRequestBody(payload: ChatPayload, route: Target, signatures: Signatures): JsonObject {
  const context = { dialect: route.dialect, signatures };
  const { stream_options: options, ...body } =
    payload.protocol === 'openai'
      ? fromNative(payload.body, context)
      : fromConversation(payload.conversation(), context);
  const request = { ...forModel(body, route), model: route.upstream_model };
  if (!payload.stream) return forHost({ ...request, stream: false }, route.dialect);
  const streamOptions = { ...(options as JsonObject | undefined), include_usage: true };
  return forHost({ ...request, stream: true, stream_options: streamOptions }, route.dialect);
}

/**
 * Adapts the body to the model. Reasoning models support the output limit only under its newer name (OpenAI API
 * reference, `max_tokens`).
 */
function forModel(body: JsonObject, { reasoning }: Target): JsonObject {
  const { max_tokens: maxTokens, ...rest } = body;
  return !reasoning || maxTokens === undefined ? body : { ...rest, max_completion_tokens: maxTokens };
}

function fromNative(nativeBody: JsonObject, { dialect, signatures }: MessageContext): JsonObject {
  const body = nativeReasoning(nativeBody, dialect);
  if (body.messages === undefined) return body;
  return { ...body, messages: nativeMessages(body.messages, dialect, signatures) };
}

function fromConversation(conversation: Conversation, context: MessageContext): JsonObject {
  const { tools, toolChoice, format, stop } = conversation;
  return {
    messages: toMessages(conversation, context),
    max_tokens: conversation.maxTokens,
    ...conversationFields(conversation),
    ...(stop.length === 0 ? {} : { stop }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...(toolChoice === undefined ? {} : { tool_choice: fromToolChoice(toolChoice) }),
    ...(format === undefined ? {} : { response_format: fromFormat(format) }),
    ...reasoningFields(conversation, context.dialect),
  };
}

function toTool({ name, description, parameters, strict }: Tool): JsonObject {
  const details = {
    ...(description === undefined ? {} : { description }),
    ...(strict === undefined ? {} : { strict }),
  };
  return { type: 'function', function: { name, parameters, ...details } };
}

function fromToolChoice(choice: ToolChoice): unknown {
  if (choice.type === 'tool') return { type: 'function', function: { name: choice.name } };
  return choice.type === 'any' ? 'required' : choice.type;
}

/** A schema needs a name here, and other protocols have none for it. */
const SCHEMA_NAME = 'answer';

function fromFormat(format: OutputFormat): JsonObject {
  if (format.type === 'json') return { type: 'json_object' };
  const { type: _type, name = SCHEMA_NAME, ...schema } = format;
  return { type: 'json_schema', json_schema: { name, ...schema } };
}
