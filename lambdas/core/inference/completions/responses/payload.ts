/** What a Responses request asks of a route: the body to forward, and what the route must be able to do. */
import { ServiceError } from '../../../errors.ts';
import { isJsonObject, type JsonObject } from '../../../json/lossless-json.ts';
import type { Capability } from '../../catalog/route-document.ts';
import { OPENAI_RESPONSES } from '../../levers/openai-responses.ts';
import { demandsOf } from '../../levers/table.ts';
import { OWN_TOOLS } from '../../metering/prompt-fields.ts';
import { forwardedFields } from '../../routing/route-controls.ts';
import type { Capsules } from '../../upstream/capsules.ts';
import type { Conversation } from '../../upstream/conversation.ts';
import { requirePublicImages } from '../../upstream/image-address.ts';
import type { ChatPayload } from '../../upstream/provider.ts';
import { toConversation } from './conversation.ts';
import { resolveItems } from './input/references.ts';
import {
  COMMON_ITEMS,
  type Item,
  isPdfPart,
  itemType,
  maxTokensOf,
  type Part,
  partsOfItem,
  type ResponsesRequest,
} from './request.ts';
import { isCallable } from './tool-schema.ts';

/**
 * The request with its input in full, without nulls and without the fields that only the service uses. Throws 400
 * `state_not_kept` for a request that goes on from what the service would have to keep, or asks it to keep something;
 * `invalid_capsule` for reasoning that was changed; `invalid_value` for an output without its call, and for an image or
 * a file on a private network.
 */
export function toPayload(request: ResponsesRequest, capsules: Capsules): ChatPayload {
  refuseState(request);
  const { input } = request;
  const resolved = typeof input === 'string' ? undefined : resolveItems(input, capsules);
  const items = resolved?.map(({ item }) => item);
  if (items?.length === 0)
    throw new ServiceError('invalid_value', 'input: holds nothing that a model can be given.', {
      param: 'input',
    });
  const parts = items?.flatMap(partsOfItem) ?? [];
  requirePublicImages(parts.flatMap(linksOf), 'input');
  const body: JsonObject = { ...bodyOf(request), input: items ?? input, store: false };
  const given = items ?? [{ type: 'message', role: 'user', content: input }];
  const own = ownThing(request, given, parts);
  return payloadOf(request, given, {
    protocol: 'openai-responses',
    body,
    stream: request.stream === true,
    needs: needsOf(request, given, parts),
    features: [
      ...(parts.some(isLinked) ? (['image-urls'] as const) : []),
      ...(parts.some(isPdfPart) ? (['documents'] as const) : []),
      ...(parts.some(({ file_url: url }) => typeof url === 'string') ? (['document-urls'] as const) : []),
      ...(own === undefined ? [] : (['responses-items'] as const)),
    ],
    ...(own === undefined ? {} : { featureNames: { 'responses-items': own } }),
    demands: demandsOf(OPENAI_RESPONSES, body),
  });
}

/** The payload with its conversation, which is made once; the bound of its output is the caller's or set later. */
function payloadOf(
  request: ResponsesRequest,
  items: readonly Item[],
  fixed: Omit<ChatPayload, 'conversation' | 'limitedTo'>,
): ChatPayload {
  const within = (maxTokens: number) => {
    let conversation: Conversation | undefined;
    return () => {
      conversation ??= toConversation(request, items, maxTokens);
      return conversation;
    };
  };
  const maxTokens = maxTokensOf(request);
  if (maxTokens !== undefined) return { ...fixed, conversation: within(maxTokens) };
  return {
    ...fixed,
    conversation: () => {
      throw new Error('the output of this payload has no bound; take it from limitedTo');
    },
    limitedTo: (most) => ({
      ...fixed,
      body: { ...fixed.body, max_output_tokens: most },
      conversation: within(most),
    }),
  };
}

/** What clients say of themselves (Codex) is no route's business. */
function bodyOf(request: ResponsesRequest): JsonObject {
  const { client_metadata: _client, ...body } = forwardedFields(request);
  return body;
}

/** Why a field that needs storage is refused, and what to send instead. */
const NOT_KEPT: readonly (readonly [string, string])[] = [
  ['previous_response_id', 'send the whole conversation in input'],
  ['conversation', 'send the whole conversation in input'],
  ['background', 'send the request without it, and with stream for an answer that takes long'],
  ['store', 'send store: false, and in every turn the whole conversation in input'],
];

/** Nothing of a request or an answer is stored. */
function refuseState(request: ResponsesRequest): void {
  for (const [field, instead] of NOT_KEPT) {
    const value = request[field];
    if (value === null || value === undefined || value === false || value === '') continue;
    throw new ServiceError('state_not_kept', `${field}: this service stores no answers; ${instead}.`, {
      param: field,
    });
  }
}

/** The addresses of an image or of a file that an upstream may fetch. */
const linksOf = ({ type, image_url: image, file_url: file }: Part): string[] => [
  ...(type === 'input_image' && typeof image === 'string' ? [image] : []),
  ...(type === 'input_file' && typeof file === 'string' ? [file] : []),
];

const TOOL_ITEMS: ReadonlySet<string | undefined> = new Set([
  ...['function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output'],
]);

function needsOf(request: ResponsesRequest, items: readonly Item[], parts: readonly Part[]): Capability[] {
  const { tools, tool_choice: choice, text, stream } = request;
  const needs: Capability[] = [];
  const hasToolTurns = items.some((item) => TOOL_ITEMS.has(itemType(item)));
  if ((tools ?? []).length > 0 || (choice != null && choice !== 'none' && choice !== 'auto') || hasToolTurns)
    needs.push('tools');
  if (isJsonObject(text?.format) && text.format.type !== 'text') needs.push('json');
  if (parts.some(({ type }) => type === 'input_image')) needs.push('vision');
  if (parts.some(({ type }) => type === 'input_file')) needs.push('documents');
  if (stream === true) needs.push('stream');
  return needs;
}

/** Parts that every route can be given. */
const COMMON_PARTS: ReadonlySet<string> = new Set(['input_text', 'output_text', 'refusal', 'input_image']);

/** Whether a part names an image that the upstream fetches. */
const isLinked = ({ type, image_url: url }: Part): boolean =>
  type === 'input_image' && typeof url === 'string' && !url.startsWith('data:');

/** The first thing of a request that this protocol alone can say, as its caller knows it. */
function ownThing(
  { tools, tool_choice: choice, truncation }: ResponsesRequest,
  items: readonly Item[],
  parts: readonly Part[],
): string | undefined {
  const tool = (tools ?? []).find(({ type }) => !OWN_TOOLS.has(type));
  if (tool !== undefined) return `the tool ${tool.type}`;
  const item = items.find((one) => !COMMON_ITEMS.has(itemType(one)));
  if (item !== undefined) return `an item of type ${itemType(item)}`;
  const said = new Set(items.filter((one) => itemType(one) === 'message').flatMap(partsOfItem));
  const part = parts.find((one) => !COMMON_PARTS.has(one.type) && !(said.has(one) && isPdfPart(one)));
  if (part !== undefined) return `a part of type ${part.type}`;
  if (isHosted(choice)) return 'this tool_choice';
  return truncation === 'auto' ? 'truncation "auto"' : undefined;
}

/** Whether a choice names a tool that the provider runs. */
const isHosted = (choice: unknown): boolean => {
  if (!isJsonObject(choice)) return false;
  if (choice.type !== 'allowed_tools') return !isCallable(choice);
  return Array.isArray(choice.tools) && choice.tools.some((tool) => isJsonObject(tool) && !isCallable(tool));
};
