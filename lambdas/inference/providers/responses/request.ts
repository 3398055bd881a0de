/** A chat call as a server of the Responses protocol takes it (OpenAI API reference, Create a model response). */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import type { Conversation, OutputFormat, Tool, ToolChoice } from '../../core/upstream/conversation.ts';
import { effortOf } from '../../core/upstream/effort.ts';
import type { ChatPayload } from '../../core/upstream/provider.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { conversationFields } from '../openai-formats/conversation-fields.ts';
import { openSignature } from '../openai-formats/reasoning-signatures.ts';
import { toInput } from './content.ts';

type Target = Pick<CatalogRoute, 'upstream_model' | 'reasoning' | 'dialect'>;

/** Requests signatures. Without this value, a server that stores no responses returns no signature of its reasoning. */
const ENCRYPTED_REASONING = 'reasoning.encrypted_content';

/**
 * Returns the request body. For a caller of this protocol, it contains the caller's fields, unknown ones included, and
 * the route's model name. For any other caller, it contains the conversation. The server is instructed not to store the
 * response. A signature is requested only from reasoning models, because other models reject the request for it.
 */
export function toRequestBody(payload: ChatPayload, route: Target, signatures: Signatures): JsonObject {
  const body =
    payload.protocol === 'openai-responses'
      ? fromNative(payload, route, signatures)
      : fromConversation(payload.conversation(), route, signatures);
  return { ...body, model: route.upstream_model, store: false, stream: payload.stream };
}

/**
 * Returns the call in a form that the vendor accepts. If the vendor rejects custom tools, the call is sent like one of
 * another protocol, with functions. A request with items that only this protocol has stays unchanged.
 */
export function forHost(payload: ChatPayload, { dialect }: Target): ChatPayload {
  const { protocol, body, fields } = payload;
  if (dialect?.custom_tools !== false || protocol !== 'openai-responses') return payload;
  const has = Array.isArray(body.tools) && body.tools.some((tool: unknown) => isCustom(tool));
  return has && !fields.needs.some((need) => need.kind === 'feature' && need.name === 'responses-items')
    ? { ...payload, protocol: 'openai' }
    : payload;
}

/** A namespace may hold custom tools too. */
const isCustom = (tool: unknown): boolean =>
  isJsonObject(tool) &&
  (tool.type === 'custom' || (Array.isArray(tool.tools) && tool.tools.some((one: unknown) => isCustom(one))));

/** Returns whether the operator has configured the model as a reasoning model. */
const reasons = ({ reasoning, dialect }: Target): boolean =>
  reasoning || dialect?.reasoning_request !== undefined;

function fromNative({ body, stream }: ChatPayload, route: Target, signatures: Signatures): JsonObject {
  const { stream_options: options, include, ...rest } = body;
  const requestedInclude = Array.isArray(include) ? include : [];
  const isSignatureMissing =
    (reasons(route) || body.reasoning != null) && !requestedInclude.includes(ENCRYPTED_REASONING);
  const included = isSignatureMissing ? [...requestedInclude, ENCRYPTED_REASONING] : requestedInclude;
  return {
    ...rest,
    ...(body.input === undefined ? {} : { input: nativeInput(body.input, signatures) }),
    ...(included.length === 0 ? {} : { include: included }),
    ...(stream && options !== undefined ? { stream_options: options } : {}),
  };
}

function fromConversation(conversation: Conversation, route: Target, signatures: Signatures): JsonObject {
  const { system, tools, toolChoice, format } = conversation;
  return {
    ...(system.length === 0 ? {} : { instructions: system.join('\n\n') }),
    input: toInput(conversation.turns, signatures),
    max_output_tokens: conversation.maxTokens,
    ...conversationFields(conversation),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...(toolChoice === undefined ? {} : { tool_choice: fromToolChoice(toolChoice) }),
    ...(format === undefined ? {} : { text: { format: fromFormat(format) } }),
    ...reasoningFields(conversation, route),
  };
}

function reasoningFields({ reasoning, maxTokens }: Conversation, route: Target): JsonObject {
  if (reasoning === undefined && !reasons(route)) return {};
  const effort = reasoning === undefined ? undefined : effortOf(reasoning, maxTokens);
  return {
    reasoning: {
      ...(effort === undefined ? {} : { effort }),
      ...(effort === 'none' ? {} : { summary: 'auto' }),
    },
    include: [ENCRYPTED_REASONING],
  };
}

/** A tool that does not say whether it is strict is strict here, and in no other protocol. */
function toTool({ name, description, parameters, strict = false }: Tool): JsonObject {
  const described = description === undefined ? {} : { description };
  return { type: 'function', name, ...described, parameters, strict };
}

function fromToolChoice(choice: ToolChoice): unknown {
  if (choice.type === 'tool') return { type: 'function', name: choice.name };
  return choice.type === 'any' ? 'required' : choice.type;
}

/** A schema needs a name here, and other protocols have none for it. */
const SCHEMA_NAME = 'answer';

function fromFormat(format: OutputFormat): JsonObject {
  if (format.type === 'json') return { type: 'json_object' };
  const { type: _type, name = SCHEMA_NAME, ...schema } = format;
  return { type: 'json_schema', name, ...schema };
}

/** Items whose ids are the service's. The server has not created them and does not need them. */
const WITHOUT_ID = /^(message|function_call|custom_tool_call|reasoning|.*_output)$/;

function nativeInput(input: unknown, signatures: Signatures): unknown {
  if (!Array.isArray(input)) return input;
  return input.flatMap((item) => (isJsonObject(item) ? nativeItem(item, signatures) : [item]));
}

/** Returns the item for the route. An item with another route's signature is dropped, as is reasoning without one. */
function nativeItem(item: JsonObject, signatures: Signatures): JsonObject[] {
  const { id: _id, encrypted_content: sealed, ...rest } = item;
  const routeItem = typeof item.type === 'string' && !WITHOUT_ID.test(item.type) ? item : rest;
  if (sealed == null) return item.type === 'reasoning' ? [] : [routeItem];
  const { id, encrypted_content: encryptedContent } = openSignature(signatures, sealed) ?? {};
  if (typeof encryptedContent !== 'string') return [];
  return [{ ...rest, ...(typeof id === 'string' ? { id } : {}), encrypted_content: encryptedContent }];
}
