/** Turns as Claude takes them, of Anthropic and of Bedrock alike: what the protocols refuse is set right here. */
import type {
  AssistantPart,
  ToolResultPart,
  Turn,
  UserPart,
} from '../../core/inference/upstream/conversation.ts';
import { ToolCallIds } from '../../core/inference/upstream/tool-calls.ts';

/**
 * The longest id of a tool call (Claude API reference, Create a Message, `^[a-zA-Z0-9_-]{1,64}$`; Amazon Bedrock API
 * reference, ToolUseBlock).
 */
const MAX_TOOL_CALL_ID = 64;

/** Texts and stop sequences without anything but white space are refused. */
export const isNotBlank = (text: string): boolean => text.trim() !== '';

/** Stands where a user's text is demanded and the conversation has none. */
const OPENING: UserPart = { type: 'text', text: 'Begin.' };

/** A turn that others of its role are merged into. */
type Draft =
  | { readonly role: 'user'; readonly parts: UserPart[] }
  | { readonly role: 'assistant'; readonly parts: AssistantPart[] };

/**
 * The turns so that roles alternate, the user begins, and none is empty; no text is blank, results come first, ids of
 * calls are legal and each call's own, and an answer that the model is to go on with does not end in white space.
 */
export function alternatingTurns(turns: readonly Turn[]): Turn[] {
  const ids = new ToolCallIds(MAX_TOOL_CALL_ID);
  const drafts: Draft[] = [];
  for (const turn of turns) {
    const sound = soundTurn(turn, ids);
    if (sound.parts.length > 0) append(drafts, sound);
  }
  if (drafts[0]?.role !== 'user') drafts.unshift({ role: 'user', parts: [OPENING] });
  const end = drafts.length - 1;
  return drafts.map((draft, index) => {
    if (draft.role === 'user') return { role: 'user', parts: resultsFirst(draft.parts) };
    return index === end ? { role: 'assistant', parts: withoutTrailingSpace(draft.parts) } : draft;
  });
}

function append(drafts: Draft[], turn: Draft): void {
  const last = drafts.at(-1);
  if (last?.role === 'user' && turn.role === 'user') for (const part of turn.parts) last.parts.push(part);
  else if (last?.role === 'assistant' && turn.role === 'assistant')
    for (const part of turn.parts) last.parts.push(part);
  else drafts.push(turn);
}

const soundTurn = (turn: Turn, ids: ToolCallIds): Draft =>
  turn.role === 'user'
    ? { role: 'user', parts: turn.parts.filter(saysSomething).map((part) => withResultId(part, ids)) }
    : { role: 'assistant', parts: turn.parts.filter(saysSomething).map((part) => withCallId(part, ids)) };

const saysSomething = (part: UserPart | AssistantPart): boolean => !('text' in part) || isNotBlank(part.text);

function withResultId(part: UserPart, ids: ToolCallIds): UserPart {
  if (part.type !== 'tool-result') return part;
  return { ...part, id: ids.ofResult(part.id), content: part.content.filter(saysSomething) };
}

const withCallId = (part: AssistantPart, ids: ToolCallIds): AssistantPart =>
  part.type === 'tool-call' ? { ...part, id: ids.ofCall(part.id) } : part;

const isResult = (part: UserPart): part is ToolResultPart => part.type === 'tool-result';

/** Results are taken only before anything else of the turn that follows their calls. */
const resultsFirst = (parts: readonly UserPart[]): UserPart[] => [
  ...parts.filter(isResult),
  ...parts.filter((part) => !isResult(part)),
];

function withoutTrailingSpace(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const last = parts.at(-1);
  if (last === undefined || last.type === 'tool-call') return parts;
  return [...parts.slice(0, -1), { ...last, text: last.text.trimEnd() }];
}
