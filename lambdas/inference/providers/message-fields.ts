/**
 * Allow-list of the fields of a message and its events that are returned to a caller (Claude API reference, Create a
 * Message; Streaming).
 */

import type { JsonObject } from '../../platform/core/json/lossless-json.ts';
import { type ResponseIdentity, UpstreamFailure } from '../core/upstream/provider.ts';
import {
  account,
  type Fields,
  fields,
  list,
  listOf,
  looseCount,
  object,
  objectWith,
  oneOf,
  pickFields,
  plainName,
  text,
  usageCount,
  usageCounts,
} from './allowed-fields.ts';
import { objectOf } from './http-upstream.ts';

/** Returns the numeric values of the usage, and drops everything that is not a count. */
export const allowedUsageOf = account(
  fields({
    input_tokens: usageCount,
    output_tokens: usageCount,
    cache_creation_input_tokens: usageCount,
    cache_read_input_tokens: usageCount,
    cache_creation: usageCounts('ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'),
    output_tokens_details: usageCounts('thinking_tokens'),
    server_tool_use: usageCounts('web_search_requests', 'web_fetch_requests', 'code_execution_requests'),
    service_tier: oneOf('standard', 'priority', 'batch'),
    speed: oneOf('standard', 'fast'),
  }),
);

/** Block types with known fields, and the required fields of each. A block of any other type passes unchanged. */
const BLOCKS = kinds({
  text: [{ text, citations: list }, { text: '' }],
  thinking: [{ thinking: text, signature: text }, { thinking: '' }],
  redacted_thinking: [{ data: text }],
  tool_use: [{ id: text, name: text, input: object, caller: object }, { input: {} }],
});

const DELTAS = kinds({
  text_delta: [{ text }],
  input_json_delta: [{ partial_json: text }],
  thinking_delta: [{ thinking: text }],
  signature_delta: [{ signature: text }],
  citations_delta: [{ citation: object }],
});

interface Kind {
  readonly fields: Fields;
  readonly defaults: JsonObject;
}

function kinds(
  named: Readonly<Record<string, readonly [Parameters<typeof fields>[0], JsonObject?]>>,
): ReadonlyMap<string, Kind> {
  return new Map(
    Object.entries(named).map(([type, [allowedFields, defaults = {}]]) => [
      type,
      { fields: fields(allowedFields), defaults },
    ]),
  );
}

function ofKind(value: unknown, kindsByType: ReadonlyMap<string, Kind>): JsonObject {
  const record = objectOf(value);
  const type = plainName(record.type);
  if (type === undefined) throw new UpstreamFailure('protocol');
  const kind = kindsByType.get(type);
  return kind === undefined ? record : { type, ...kind.defaults, ...pickFields(record, kind.fields) };
}

/** Throws `UpstreamFailure` for a call that does not say of what it is. */
function toBlock(value: unknown): JsonObject {
  const block = ofKind(value, BLOCKS);
  if (block.type === 'tool_use' && (typeof block.id !== 'string' || typeof block.name !== 'string'))
    throw new UpstreamFailure('protocol');
  return block;
}

const endFields = {
  stop_reason: plainName,
  stop_sequence: text,
  stop_details: objectWith(fields({ type: plainName, category: text, explanation: text })),
};
const ending = fields(endFields);

/** `context_management` lists what the caller's own rules have cleared. */
const messageFields = { ...endFields, content: listOf(toBlock), context_management: object };
const message = fields(messageFields);
const opening = fields({ ...messageFields, usage: allowedUsageOf });

const NO_END = { stop_reason: null, stop_sequence: null };

/**
 * Returns a complete response with the service's names, without its usage. Throws `UpstreamFailure` for a field of a
 * wrong type.
 */
export const toMessage = (body: unknown, { id, model }: ResponseIdentity): JsonObject => ({
  id,
  type: 'message',
  role: 'assistant',
  model,
  ...NO_END,
  ...pickFields(body, message),
});

function toOpening(body: unknown, { id, model }: ResponseIdentity): JsonObject {
  const { usage: reported, ...rest } = pickFields(body, opening);
  const openingUsage = { input_tokens: 0, output_tokens: 0, ...(reported as JsonObject | null) };
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    ...NO_END,
    ...rest,
    ...(rest.content == null ? { content: [] } : {}),
    usage: openingUsage,
  };
}

/**
 * Returns one event for the caller. Throws `UpstreamFailure` for a field of a wrong type, and for an event with an
 * unknown name.
 */
export function toEvent(event: JsonObject, identity: ResponseIdentity): JsonObject {
  const { type } = event;
  switch (type) {
    case 'message_start':
      return { type, message: toOpening(event.message, identity) };
    case 'content_block_start':
      return { type, index: looseCount(event.index), content_block: toBlock(event.content_block) };
    case 'content_block_delta':
      return { type, index: looseCount(event.index), delta: ofKind(event.delta, DELTAS) };
    case 'content_block_stop':
      return { type, index: looseCount(event.index) };
    case 'message_delta': {
      const { context_management: cleared } = event;
      const usage = allowedUsageOf(event.usage);
      return {
        type,
        delta: { ...NO_END, ...pickFields(event.delta, ending) },
        ...(usage === undefined ? {} : { usage }),
        ...(cleared === undefined ? {} : { context_management: cleared === null ? null : object(cleared) }),
      };
    }
    case 'message_stop':
      return { type };
    default:
      throw new UpstreamFailure('protocol');
  }
}
