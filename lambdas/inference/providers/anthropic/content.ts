/**
 * Messages of the Messages protocol: the conversion from turns of a conversation, and the output text of content
 * blocks.
 */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type {
  CacheBreakpoint,
  DocumentPart,
  Finish,
  ImagePart,
  ToolResultPart,
  UserPart,
} from '../../core/upstream/conversation.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { toolInput } from '../../core/upstream/tool-calls.ts';
import type { ClaudePart, ClaudeTurn, RouteReasoning } from '../claude/route-signatures.ts';
import { finishOf } from '../ends.ts';

interface Message extends JsonObject {
  readonly role: ClaudeTurn['role'];
  readonly content: readonly JsonObject[];
}

/** Returns the turns as messages, each with its parts as blocks. */
export const toMessages = (turns: readonly ClaudeTurn[]): Message[] =>
  turns.map(({ role, parts }) => ({ role, content: [...parts].map(toBlock) }));

/** Returns the field of a cache breakpoint. The protocol's default is 5 minutes (Claude docs, Prompt caching). */
export const cacheControl = ({ cache }: CacheBreakpoint): JsonObject =>
  cache === undefined
    ? {}
    : { cache_control: { type: 'ephemeral', ...(cache === '5m' ? {} : { ttl: cache }) } };

const toBlock = (part: UserPart | ClaudePart): JsonObject =>
  part.type === 'reasoning' ? thinkingBlock(part) : { ...toPlainBlock(part), ...cacheControl(part) };

function toPlainBlock(part: Exclude<UserPart | ClaudePart, RouteReasoning>): JsonObject {
  switch (part.type) {
    case 'image':
      return imageBlock(part);
    case 'document':
      return documentBlock(part);
    case 'audio':
      // Routes of this protocol are no candidates for it.
      throw new UpstreamFailure('status', { status: 415, retryable: false });
    case 'tool-result':
      return resultBlock(part);
    case 'tool-call':
      return { type: 'tool_use', id: part.id, name: part.name, input: toolInput(part.arguments) };
    default:
      return { type: 'text', text: part.text };
  }
}

const thinkingBlock = ({ text, routeSignature }: RouteReasoning): JsonObject =>
  'redacted' in routeSignature
    ? { type: 'redacted_thinking', data: routeSignature.redacted }
    : { type: 'thinking', thinking: text, signature: routeSignature.signature };

function imageBlock({ source }: ImagePart): JsonObject {
  if (source.kind === 'url') return { type: 'image', source: { type: 'url', url: source.url } };
  const mediaType = source.mediaType === JPG ? JPEG : source.mediaType;
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: source.data } };
}

/** Claude API docs, PDF support. */
const documentBlock = ({ source, name }: DocumentPart): JsonObject => ({
  type: 'document',
  source:
    source.kind === 'url'
      ? { type: 'url', url: source.url }
      : { type: 'base64', media_type: source.mediaType, data: source.data },
  ...(name === undefined ? {} : { title: name }),
});

/** A name that callers use, followed by the name in the protocol. */
const JPG = 'image/jpg';
const JPEG = 'image/jpeg';

const resultBlock = ({ id, content, isError }: ToolResultPart): JsonObject => ({
  type: 'tool_result',
  tool_use_id: id,
  ...(content.length === 0 ? {} : { content: content.map(toBlock) }),
  ...(isError ? { is_error: true } : {}),
});

const string = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Returns the output text of a complete block, or of a block at the start of its stream: text, reasoning, tool names
 * and inputs.
 */
export function textOf({ text, thinking, name, input }: JsonObject): string {
  const hasInput = typeof input === 'object' && input !== null && Object.keys(input).length > 0;
  return string(text) + string(thinking) + string(name) + (hasInput ? JSON.stringify(input) : '');
}

/** The output text of a delta (Claude API docs, Streaming, Content block delta types). */
export const textOfDelta = ({ text, thinking, partial_json: json }: JsonObject): string =>
  string(text) + string(thinking) + string(json);

/**
 * Returns the finish of a message. A call of the answer tool is an answer, not a call. Throws `UpstreamFailure` for a
 * failure.
 */
export function toFinish(
  { stop_reason: reason, stop_sequence: sequence }: JsonObject,
  hasCalls: boolean,
): Finish {
  const stopSequence = typeof sequence === 'string' ? { stopSequence: sequence } : {};
  return { ...finishOf(reason, hasCalls), ...stopSequence };
}
