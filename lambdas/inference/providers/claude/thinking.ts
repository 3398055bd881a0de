/** A conversation beside Claude's thinking, of Anthropic and of Bedrock alike: how it is asked for, and what it forbids. */
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import { withSoundMarks } from '../../core/upstream/cache-marks.ts';
import type { Signatures } from '../../core/upstream/capsules.ts';
import type { Conversation } from '../../core/upstream/conversation.ts';
import { budgetOf, effortOf, isOff, nearestEffort } from '../../core/upstream/effort.ts';
import { withReminders } from '../../core/upstream/system-reminder.ts';
import { alternatingTurns } from './alternating-turns.ts';
import { type ClaudeTurn, provenTurns } from './proofs.ts';

/** The field `thinking` of a request (Claude API reference, Create a Message). */
type ThinkingField =
  | { readonly type: 'enabled'; readonly budget_tokens?: number }
  | { readonly type: 'adaptive'; readonly display: 'summarized' }
  | { readonly type: 'disabled' };

/** The efforts that every model with adaptive thinking takes (Claude docs, Effort). */
const EFFORT_STEPS = ['low', 'medium', 'high', 'max'] as const;

interface Asked {
  readonly thinking?: ThinkingField;
  /** The field `output_config.effort`. */
  readonly effort?: (typeof EFFORT_STEPS)[number];
}

/** The smallest share of the most probable tokens that is taken beside thinking (Claude docs, Extended thinking). */
const MIN_TOP_P = 0.95;

export interface ClaudeConversation extends Omit<Conversation, 'turns' | 'reasoning'>, Asked {
  readonly turns: readonly ClaudeTurn[];
  /** Claude is asked to think. */
  readonly thinks: boolean;
}

type Way = NonNullable<CatalogRoute['dialect']>['reasoning_request'];

const OFF: Asked = { thinking: { type: 'disabled' } };

/**
 * The conversation as Claude takes it: with the reasoning that the route itself gave, and beside thinking without
 * temperature and without a call that must be made. Thinking with a budget is off where the answer that called the
 * tools has lost its own, or is to be gone on with: Claude refuses that.
 */
export function forClaude(
  { reasoning, ...conversation }: Conversation,
  way: Way,
  signatures: Signatures,
): ClaudeConversation {
  const turns = alternatingTurns(provenTurns(withReminders(conversation.turns), signatures));
  const asked = reasoning === undefined ? {} : askedOf(reasoning, way, conversation.maxTokens);
  const sent = asked.thinking?.type === 'enabled' && !mayThink(turns) ? OFF : asked;
  const type = sent.thinking?.type;
  const thinks = type === 'enabled' || type === 'adaptive';
  // A thought in the answer that called the tools is refused where there is to be none.
  const isQuiet = type === 'disabled' || (way === 'budget' && !thinks);
  return withSoundMarks({
    ...(thinks ? besideThinking(conversation) : conversation),
    ...sent,
    turns: isQuiet ? turns.map(withoutReasoning) : turns,
    thinks,
  });
}

function askedOf(reasoning: NonNullable<Conversation['reasoning']>, way: Way, maxTokens: number): Asked {
  if (way === undefined) return {};
  const effort = effortOf(reasoning, maxTokens);
  const nearest = effort === undefined ? {} : { effort: nearestEffort(effort, EFFORT_STEPS) };
  if (way === 'effort') return nearest;
  if (isOff(reasoning)) return OFF;
  if (way === 'switch') return { thinking: { type: 'enabled' } };
  if (way === 'adaptive')
    // Newer models show nothing unless asked (Claude docs, Extended thinking, Controlling thinking display).
    return { thinking: { type: 'adaptive', display: 'summarized' }, ...nearest };
  const budget = budgetOf(reasoning, maxTokens);
  return budget === undefined ? {} : { thinking: { type: 'enabled', budget_tokens: budget } };
}

function besideThinking<Given extends Omit<Conversation, 'turns' | 'reasoning'>>(given: Given) {
  const { temperature: _temperature, topP, toolChoice: choice, ...conversation } = given;
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

const mayThink = (turns: readonly ClaudeTurn[]): boolean =>
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
  const answers = messages.slice(before + 1).filter((message) => message.role === 'assistant');
  if (answers[0]?.opensWithThought === false) return 'first';
  return answers.at(-1)?.opensWithThought === false ? 'last' : undefined;
}
