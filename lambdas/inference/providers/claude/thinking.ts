/**
 * Claude's thinking, on Anthropic and on Bedrock: the fields that request it, and the conversation fields that it
 * forbids.
 */
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import { withValidBreakpoints } from '../../core/upstream/cache-breakpoints.ts';
import { MIN_TOP_P } from '../../core/upstream/claude.ts';
import type { Conversation } from '../../core/upstream/conversation.ts';
import { budgetOf, effortOf, isOff, nearestEffort } from '../../core/upstream/effort.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { withReminders } from '../../core/upstream/system-reminder.ts';
import { alternatingTurns } from './alternating-turns.ts';
import { type ClaudeTurn, toClaudeTurns } from './route-signatures.ts';

/** The field `thinking` of a request (Claude API reference, Create a Message). */
type ThinkingField =
  | { readonly type: 'enabled'; readonly budget_tokens?: number }
  | { readonly type: 'adaptive'; readonly display: 'summarized' }
  | { readonly type: 'disabled' };

/** The efforts that every model with adaptive thinking takes (Claude docs, Effort). */
const EFFORT_STEPS = ['low', 'medium', 'high', 'max'] as const;

interface ClaudeReasoningParams {
  readonly thinking?: ThinkingField;
  /** The field `output_config.effort`. */
  readonly effort?: (typeof EFFORT_STEPS)[number];
}

export interface ClaudeConversation extends Omit<Conversation, 'turns' | 'reasoning'>, ClaudeReasoningParams {
  readonly turns: readonly ClaudeTurn[];
  /** True if the request enables thinking. */
  readonly thinks: boolean;
}

type ClaudeReasoningMode = NonNullable<CatalogRoute['dialect']>['reasoning_request'];

const OFF: ClaudeReasoningParams = { thinking: { type: 'disabled' } };

/**
 * Returns the conversation in the form that Claude accepts. It retains only the reasoning of the same route. With
 * thinking, it has no temperature and no forced call. Thinking with a budget is off if the response that called the
 * tools has lost its thinking, or is continued. Claude rejects both.
 */
export function forClaude(
  { reasoning, ...conversation }: Conversation,
  reasoningMode: ClaudeReasoningMode,
  signatures: Signatures,
): ClaudeConversation {
  const turns = alternatingTurns(toClaudeTurns(withReminders(conversation.turns), signatures));
  const requestedParams =
    reasoning === undefined ? {} : reasoningParamsOf(reasoning, reasoningMode, conversation.maxTokens);
  const params = requestedParams.thinking?.type === 'enabled' && !canThink(turns) ? OFF : requestedParams;
  const type = params.thinking?.type;
  const thinks = type === 'enabled' || type === 'adaptive';
  // Reasoning in the response that called the tools is rejected if thinking is off.
  const isQuiet = type === 'disabled' || (reasoningMode === 'budget' && !thinks);
  return withValidBreakpoints({
    ...(thinks ? adaptToThinking(conversation) : conversation),
    ...params,
    turns: isQuiet ? turns.map(withoutReasoning) : turns,
    thinks,
  });
}

function reasoningParamsOf(
  reasoning: NonNullable<Conversation['reasoning']>,
  reasoningMode: ClaudeReasoningMode,
  maxTokens: number,
): ClaudeReasoningParams {
  if (reasoningMode === undefined) return {};
  const effort = effortOf(reasoning, maxTokens);
  const nearest = effort === undefined ? {} : { effort: nearestEffort(effort, EFFORT_STEPS) };
  if (reasoningMode === 'effort') return nearest;
  if (isOff(reasoning)) return OFF;
  if (reasoningMode === 'switch') return { thinking: { type: 'enabled' } };
  if (reasoningMode === 'adaptive')
    // Newer models return no thinking unless it is requested (Claude docs, Extended thinking, Controlling thinking
    // display).
    return { thinking: { type: 'adaptive', display: 'summarized' }, ...nearest };
  const budget = budgetOf(reasoning, maxTokens);
  return budget === undefined ? {} : { thinking: { type: 'enabled', budget_tokens: budget } };
}

function adaptToThinking<Input extends Omit<Conversation, 'turns' | 'reasoning'>>(input: Input) {
  const { temperature: _temperature, topP, toolChoice: choice, ...conversation } = input;
  const insists = choice?.type === 'any' || choice?.type === 'tool';
  return {
    ...conversation,
    ...(topP === undefined || topP < MIN_TOP_P ? {} : { topP }),
    ...(choice === undefined ? {} : { toolChoice: insists ? ({ type: 'auto' } as const) : choice }),
  };
}

const withoutReasoning = (turn: ClaudeTurn): ClaudeTurn =>
  turn.role === 'user'
    ? turn
    : { role: 'assistant', parts: turn.parts.filter(({ type }) => type !== 'reasoning') };

const canThink = (turns: readonly ClaudeTurn[]): boolean =>
  turns.at(-1)?.role === 'user' && missingThought(turns.map(toMessageSketch)) === undefined;

/** The properties of a message that decide whether Claude may think. */
export type MessageSketch =
  | { readonly role: 'user'; readonly hasResults: boolean }
  | { readonly role: 'assistant'; readonly opensWithThought: boolean };

const toMessageSketch = (turn: ClaudeTurn): MessageSketch =>
  turn.role === 'user'
    ? { role: 'user', hasResults: turn.parts.some(({ type }) => type === 'tool-result') }
    : { role: 'assistant', opensWithThought: turn.parts[0]?.type === 'reasoning' };

/**
 * Returns the response of the continued tool turn that lacks its opening thought: the first, which Claude always
 * rejects, or only the last. Returns undefined if no response lacks it, or if the request contains no results.
 */
export function missingThought(messages: readonly MessageSketch[]): 'first' | 'last' | undefined {
  if (messages.at(-1)?.role !== 'user') return undefined;
  const before = messages.findLastIndex((message) => message.role === 'user' && !message.hasResults);
  const assistantMessages = messages.slice(before + 1).filter((message) => message.role === 'assistant');
  if (assistantMessages[0]?.opensWithThought === false) return 'first';
  return assistantMessages.at(-1)?.opensWithThought === false ? 'last' : undefined;
}
