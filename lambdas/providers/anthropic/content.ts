/** Messages of the Messages protocol: from turns of a conversation, and the output that an answer's blocks hold. */
import type {
  AssistantPart,
  Finish,
  FinishReason,
  ImagePart,
  TextPart,
  ToolResultPart,
  Turn,
  UserPart,
} from '../../core/inference/conversation.ts';
import type { JsonObject } from '../../core/inference/provider.ts';
import { legalToolCallId } from '../../core/inference/tool-calls.ts';
import { parseJson } from '../../core/lossless-json.ts';

/** Claude API reference, Create a Message: `^[a-zA-Z0-9_-]{1,64}$`. */
const MAX_TOOL_CALL_ID = 64;

/** Stands where the protocol demands a user's text and the conversation has none. */
const OPENING_TEXT = 'Begin.';

interface Message extends JsonObject {
  readonly role: Turn['role'];
  readonly content: readonly JsonObject[];
}

/**
 * The turns as messages that alternate, begin with the user's, and are none of them empty. Blank texts are left out,
 * because the protocol refuses them.
 */
export function toMessages(turns: readonly Turn[]): Message[] {
  const ids = new ToolCallIds();
  const messages: Message[] = [];
  for (const turn of turns) {
    const content = blocksOf(turn, ids);
    const last = messages.at(-1);
    if (content.length === 0) continue;
    if (last?.role !== turn.role) messages.push({ role: turn.role, content });
    else messages[messages.length - 1] = { role: turn.role, content: [...last.content, ...content] };
  }
  if (messages[0]?.role !== 'user')
    messages.unshift({ role: 'user', content: [{ type: 'text', text: OPENING_TEXT }] });
  return messages.map((message, index) =>
    message.role === 'user' ? resultsFirst(message) : atEnd(message, index === messages.length - 1),
  );
}

function blocksOf(turn: Turn, ids: ToolCallIds): JsonObject[] {
  return turn.role === 'user'
    ? turn.parts.flatMap((part) => userBlock(part, ids))
    : turn.parts.flatMap((part) => assistantBlock(part, ids));
}

/** Results are taken only before anything else of the message that follows their calls. */
function resultsFirst({ role, content }: Message): Message {
  const isResult = ({ type }: JsonObject) => type === 'tool_result';
  return { role, content: [...content.filter(isResult), ...content.filter((block) => !isResult(block))] };
}

/** An answer that the model is to go on with is refused when it ends in white space. */
function atEnd(message: Message, last: boolean): Message {
  const block = message.content.at(-1);
  if (!last || typeof block?.text !== 'string') return message;
  const trimmed = { ...block, text: block.text.trimEnd() };
  return { role: message.role, content: [...message.content.slice(0, -1), trimmed] };
}

const textBlock = ({ text }: Pick<TextPart, 'text'>): JsonObject[] =>
  text.trim() === '' ? [] : [{ type: 'text', text }];

function userBlock(part: UserPart, ids: ToolCallIds): JsonObject[] {
  if (part.type === 'text') return textBlock(part);
  return [part.type === 'image' ? imageBlock(part) : resultBlock(part, ids)];
}

function imageBlock({ source }: ImagePart): JsonObject {
  return {
    type: 'image',
    source:
      source.kind === 'url'
        ? { type: 'url', url: source.url }
        : {
            type: 'base64',
            media_type: source.mediaType === JPG ? JPEG : source.mediaType,
            data: source.data,
          },
  };
}

/** A name that callers use, and the one that the protocol knows. */
const JPG = 'image/jpg';
const JPEG = 'image/jpeg';

function resultBlock({ id, content, isError }: ToolResultPart, ids: ToolCallIds): JsonObject {
  const blocks = content.flatMap((part) => (part.type === 'text' ? textBlock(part) : [imageBlock(part)]));
  return {
    type: 'tool_result',
    tool_use_id: ids.ofResult(id),
    ...(blocks.length === 0 ? {} : { content: blocks }),
    ...(isError ? { is_error: true } : {}),
  };
}

function assistantBlock(part: AssistantPart, ids: ToolCallIds): JsonObject[] {
  if (part.type !== 'tool-call') return textBlock(part);
  return [{ type: 'tool_use', id: ids.ofCall(part.id), name: part.name, input: toInput(part.arguments) }];
}

/** An input is an object; what a model wrote in any other form is kept as text in one. */
function toInput(text: string): unknown {
  const json = text.trim();
  if (json === '') return {};
  try {
    if (json.startsWith('{')) return parseJson(json);
  } catch {
    // Kept as text below.
  }
  return { arguments: text };
}

/** Ids as the protocol takes them: legal, and each call's its own even where a caller numbers every turn anew. */
class ToolCallIds {
  readonly #calls = new Map<string, number>();
  readonly #unanswered = new Map<string, string[]>();

  ofCall(id: string): string {
    const earlier = this.#calls.get(id) ?? 0;
    this.#calls.set(id, earlier + 1);
    const legal = legalToolCallId(earlier === 0 ? id : `${id}\0${earlier}`, MAX_TOOL_CALL_ID);
    this.#unanswered.set(id, [...(this.#unanswered.get(id) ?? []), legal]);
    return legal;
  }

  ofResult(id: string): string {
    return this.#unanswered.get(id)?.shift() ?? legalToolCallId(id, MAX_TOOL_CALL_ID);
  }
}

const string = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The output text of a whole block, or of a block as its stream begins: words, thoughts, tool names and inputs. */
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

/** The end of a message; a call of the answer tool alone is an answer, not a call. */
export function toFinish(
  { stop_reason: reason, stop_sequence: sequence }: JsonObject,
  answeredByTool: boolean,
): Finish {
  const raw = string(reason);
  if (answeredByTool && raw === 'tool_use') return { reason: 'stop', raw };
  const stopSequence = typeof sequence === 'string' ? { stopSequence: sequence } : {};
  return { reason: FINISH_REASONS.get(raw) ?? 'stop', raw, ...stopSequence };
}
