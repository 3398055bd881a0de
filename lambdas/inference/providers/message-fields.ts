/** The fields of a message and its events that reach a caller (Claude API reference, Create a Message; Streaming). */

import type { JsonObject } from '../../platform/core/json/lossless-json.ts';
import { type AnswerIdentity, UpstreamFailure } from '../core/upstream/provider.ts';
import { objectOf } from './http-upstream.ts';
import {
  account,
  count,
  type Fields,
  fields,
  figure,
  figures,
  kept,
  list,
  listOf,
  object,
  objectWith,
  oneOf,
  plainName,
  text,
} from './kept-fields.ts';

/** The figures of an account, and nothing that is no count. */
export const keptUsage = account(
  fields({
    input_tokens: figure,
    output_tokens: figure,
    cache_creation_input_tokens: figure,
    cache_read_input_tokens: figure,
    cache_creation: figures('ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'),
    output_tokens_details: figures('thinking_tokens'),
    server_tool_use: figures('web_search_requests', 'web_fetch_requests', 'code_execution_requests'),
    service_tier: oneOf('standard', 'priority', 'batch'),
    speed: oneOf('standard', 'fast'),
  }),
);

/** Kinds whose fields are known, with what a block of the kind is never without; any other kind is content as it is. */
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
    Object.entries(named).map(([type, [known, defaults = {}]]) => [
      type,
      { fields: fields(known), defaults },
    ]),
  );
}

function ofKind(value: unknown, known: ReadonlyMap<string, Kind>): JsonObject {
  const given = objectOf(value);
  const type = plainName(given.type);
  if (type === undefined) throw new UpstreamFailure('protocol');
  const kind = known.get(type);
  return kind === undefined ? given : { type, ...kind.defaults, ...kept(given, kind.fields) };
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
const end = fields(endFields);

/** `context_management` lists what the caller's own rules have cleared. */
const messageFields = { ...endFields, content: listOf(toBlock), context_management: object };
const message = fields(messageFields);
const opening = fields({ ...messageFields, usage: keptUsage });

const NO_END = { stop_reason: null, stop_sequence: null };

/** A whole answer under our own names, without its usage. Throws `UpstreamFailure` for a field of a wrong type. */
export const toMessage = (body: unknown, { id, model }: AnswerIdentity): JsonObject => ({
  id,
  type: 'message',
  role: 'assistant',
  model,
  ...NO_END,
  ...kept(body, message),
});

function toOpening(body: unknown, { id, model }: AnswerIdentity): JsonObject {
  const { usage: reported, ...rest } = kept(body, opening);
  const figures = { input_tokens: 0, output_tokens: 0, ...(reported as JsonObject | null) };
  return { id, type: 'message', role: 'assistant', model, content: [], ...NO_END, ...rest, usage: figures };
}

/** One event for the caller. Throws `UpstreamFailure` likewise, and for an event of no known name. */
export function toEvent(event: JsonObject, identity: AnswerIdentity): JsonObject {
  const { type } = event;
  switch (type) {
    case 'message_start':
      return { type, message: toOpening(event.message, identity) };
    case 'content_block_start':
      return { type, index: count(event.index), content_block: toBlock(event.content_block) };
    case 'content_block_delta':
      return { type, index: count(event.index), delta: ofKind(event.delta, DELTAS) };
    case 'content_block_stop':
      return { type, index: count(event.index) };
    case 'message_delta': {
      const { context_management: cleared } = event;
      const usage = keptUsage(event.usage);
      return {
        type,
        delta: { ...NO_END, ...kept(event.delta, end) },
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
