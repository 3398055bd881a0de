/** Messages of the Messages protocol: from turns of a conversation, and the output that an answer's blocks hold. */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type {
  CacheBreakpoint,
  DocumentPart,
  Finish,
  FinishReason,
  ImagePart,
  ToolResultPart,
  UserPart,
} from '../../core/upstream/conversation.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { toolInput } from '../../core/upstream/tool-calls.ts';
import type { ClaudePart, ClaudeTurn, RouteReasoning } from '../claude/proofs.ts';
import { plainName } from '../kept-fields.ts';

interface Message extends JsonObject {
  readonly role: ClaudeTurn['role'];
  readonly content: readonly JsonObject[];
}

/** The turns as messages, each with its parts as blocks. */
export const toMessages = (turns: readonly ClaudeTurn[]): Message[] =>
  turns.map(({ role, parts }) => ({ role, content: [...parts].map(toBlock) }));

/** The field of what is marked for a cache; 5 minutes are the protocol's own (Claude docs, Prompt caching). */
export const cacheControl = ({ cache }: CacheBreakpoint): JsonObject =>
  cache === undefined
    ? {}
    : { cache_control: { type: 'ephemeral', ...(cache === '5m' ? {} : { ttl: cache }) } };

const toBlock = (part: UserPart | ClaudePart): JsonObject =>
  part.type === 'reasoning' ? thinkingBlock(part) : { ...toUnmarked(part), ...cacheControl(part) };

function toUnmarked(part: Exclude<UserPart | ClaudePart, RouteReasoning>): JsonObject {
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

const thinkingBlock = ({ text, proof }: RouteReasoning): JsonObject =>
  'redacted' in proof
    ? { type: 'redacted_thinking', data: proof.redacted }
    : { type: 'thinking', thinking: text, signature: proof.signature };

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

/** A name that callers use, and the one that the protocol knows. */
const JPG = 'image/jpg';
const JPEG = 'image/jpeg';

const resultBlock = ({ id, content, isError }: ToolResultPart): JsonObject => ({
  type: 'tool_result',
  tool_use_id: id,
  ...(content.length === 0 ? {} : { content: content.map(toBlock) }),
  ...(isError ? { is_error: true } : {}),
});

const string = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The output text of a whole block, or of a block as its stream begins: text, reasoning, tool names and inputs. */
export function textOf({ text, thinking, name, input }: JsonObject): string {
  const hasInput = typeof input === 'object' && input !== null && Object.keys(input).length > 0;
  return string(text) + string(thinking) + string(name) + (hasInput ? JSON.stringify(input) : '');
}

/** The output text of a delta (Claude API docs, Streaming, Content block delta types). */
export const textOfDelta = ({ text, thinking, partial_json: json }: JsonObject): string =>
  string(text) + string(thinking) + string(json);

/** Claude API docs, Handling stop reasons. */
const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop-sequence'],
  ['max_tokens', 'length'],
  ['tool_use', 'tool-calls'],
  ['refusal', 'refusal'],
  ['pause_turn', 'pause'],
  ['model_context_window_exceeded', 'context'],
]);

/** The end of a message; a call of the answer tool alone is an answer, not a call. Throws `UpstreamFailure` for a reason that is not a plain name. */
export function toFinish(
  { stop_reason: reason, stop_sequence: sequence }: JsonObject,
  answeredByTool: boolean,
): Finish {
  const raw = plainName(reason) ?? '';
  if (answeredByTool && raw === 'tool_use') return { reason: 'stop', raw };
  const stopSequence = typeof sequence === 'string' ? { stopSequence: sequence } : {};
  return { reason: FINISH_REASONS.get(raw) ?? 'stop', raw, ...stopSequence };
}
