/**
 * Turns in the form that Claude accepts, on Anthropic and on Bedrock. Turns that the protocols reject are corrected.
 */
import { isNotBlank } from '../../core/upstream/claude.ts';
import type { ToolResultPart, UserPart } from '../../core/upstream/conversation.ts';
import { ToolCallIds } from '../../core/upstream/tool-calls.ts';
import type { ClaudePart, ClaudeTurn } from './route-signatures.ts';

/**
 * The longest id of a tool call (Claude API reference, Create a Message, `^[a-zA-Z0-9_-]{1,64}$`; Amazon Bedrock API
 * reference, ToolUseBlock).
 */
const MAX_TOOL_CALL_ID = 64;

/** Stands where a user's text is demanded and the conversation has none. */
const OPENING: UserPart = { type: 'text', text: 'Begin.' };

/** A turn that others of its role are merged into. */
type Draft =
  | { readonly role: 'user'; readonly parts: UserPart[] }
  | { readonly role: 'assistant'; readonly parts: ClaudePart[] };

/**
 * Returns turns that Claude accepts (Claude docs, Extended thinking, and the texts of the errors):
 * - Roles alternate, the user starts, and no turn is empty.
 * - No text is blank, results are first, and ids of calls are legal and unique.
 * - A response that the model continues does not end in white space and has no reasoning.
 * - Any other response starts with its reasoning, if it has any, and does not end with it.
 */
export function alternatingTurns(turns: readonly ClaudeTurn[]): ClaudeTurn[] {
  const ids = new ToolCallIds(MAX_TOOL_CALL_ID);
  const merged = merge(turns.map((turn) => toValidTurn(turn, ids)));
  const last = merged.length - 1;
  const drafts = merge(merged.map((draft, index) => withValidReasoning(draft, index === last)));
  if (drafts[0]?.role !== 'user') drafts.unshift({ role: 'user', parts: [OPENING] });
  const lastIndex = drafts.length - 1;
  return drafts.map((draft, index) => {
    if (draft.role === 'user') return { role: 'user', parts: resultsFirst(draft.parts) };
    return index === lastIndex ? { role: 'assistant', parts: withoutTrailingSpace(draft.parts) } : draft;
  });
}

/** Neighbours of one role as one, without those that are empty. */
function merge(turns: readonly Draft[]): Draft[] {
  const drafts: Draft[] = [];
  for (const turn of turns) if (turn.parts.length > 0) append(drafts, turn);
  return drafts;
}

function append(drafts: Draft[], turn: Draft): void {
  const last = drafts.at(-1);
  if (last?.role === 'user' && turn.role === 'user') for (const part of turn.parts) last.parts.push(part);
  else if (last?.role === 'assistant' && turn.role === 'assistant')
    for (const part of turn.parts) last.parts.push(part);
  else drafts.push(turn);
}

const isReasoning = ({ type }: ClaudePart): boolean => type === 'reasoning';

function withValidReasoning(draft: Draft, isLast: boolean): Draft {
  if (draft.role === 'user' || !draft.parts.some(isReasoning)) return draft;
  const otherParts = draft.parts.filter((part) => !isReasoning(part));
  if (isLast || otherParts.length === 0) return { role: 'assistant', parts: otherParts };
  const parts = draft.parts.slice(0, draft.parts.findLastIndex((part) => !isReasoning(part)) + 1);
  const [first] = parts;
  if (first === undefined || isReasoning(first)) return { role: 'assistant', parts };
  return { role: 'assistant', parts: [...parts.filter(isReasoning), ...otherParts] };
}

const toValidTurn = (turn: ClaudeTurn, ids: ToolCallIds): Draft =>
  turn.role === 'user'
    ? { role: 'user', parts: turn.parts.filter(hasContent).map((part) => withResultId(part, ids)) }
    : { role: 'assistant', parts: turn.parts.filter(hasContent).map((part) => withCallId(part, ids)) };

const hasContent = (part: UserPart | ClaudePart): boolean =>
  part.type === 'reasoning' || !('text' in part) || isNotBlank(part.text);

function withResultId(part: UserPart, ids: ToolCallIds): UserPart {
  if (part.type !== 'tool-result') return part;
  return { ...part, id: ids.ofResult(part.id), content: part.content.filter(hasContent) };
}

const withCallId = (part: ClaudePart, ids: ToolCallIds): ClaudePart =>
  part.type === 'tool-call' ? { ...part, id: ids.ofCall(part.id) } : part;

const isResult = (part: UserPart): part is ToolResultPart => part.type === 'tool-result';

/** Results are taken only before anything else of the turn that follows their calls. */
const resultsFirst = (parts: readonly UserPart[]): UserPart[] => [
  ...parts.filter(isResult),
  ...parts.filter((part) => !isResult(part)),
];

function withoutTrailingSpace(parts: readonly ClaudePart[]): readonly ClaudePart[] {
  const last = parts.at(-1);
  if (last === undefined || last.type === 'tool-call' || last.type === 'reasoning') return parts;
  return [...parts.slice(0, -1), { ...last, text: last.text.trimEnd() }];
}
