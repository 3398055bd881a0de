/**
 * Converts system messages between turns for routes that accept them only at the start of a conversation. A user's
 * message contains them, marked as reminders. At the start, they would change the prefix of every later request, so
 * that a provider's prompt cache would miss.
 */
import type { TextPart, Turn, UserPart } from './conversation.ts';

export type SpokenTurn = Exclude<Turn, { readonly role: 'system' }>;

/**
 * Returns the reminder in the form that Claude Code uses for text in a user's message that the user did not write.
 * Claude recognizes this form.
 */
export const reminderOf = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`;

/**
 * Returns the turns without system turns. The text of a system turn is appended to the previous user turn, or else to
 * the next one. Otherwise it becomes a separate turn.
 */
export function withReminders(turns: readonly Turn[]): SpokenTurn[] {
  const spoken: SpokenTurn[] = [];
  /** The parts of the user's turn that is the last, or of one that is yet to follow. */
  let parts: UserPart[] = [];
  let isLast = false;
  const endUserTurn = () => {
    if (!isLast && parts.length > 0) spoken.push({ role: 'user', parts });
    parts = [];
    isLast = false;
  };
  for (const turn of turns) {
    if (turn.role === 'system') parts.push(toReminder(turn.parts));
    else if (turn.role === 'assistant') {
      endUserTurn();
      spoken.push(turn);
    } else {
      parts = [...turn.parts, ...(isLast ? [] : parts)];
      spoken.push({ role: 'user', parts });
      isLast = true;
    }
  }
  endUserTurn();
  return spoken;
}

/** Joins the texts. A cache breakpoint on one of them applies to the joined text. */
function toReminder(parts: readonly TextPart[]): TextPart {
  const cache = parts.findLast((part) => part.cache !== undefined)?.cache;
  return {
    type: 'text',
    text: reminderOf(parts.map(({ text }) => text).join('\n\n')),
    ...(cache === undefined ? {} : { cache }),
  };
}

/** Moves each system message between calls and their results behind the results. */
export function behindResults(turns: readonly Turn[]): Turn[] {
  const orderedTurns: Turn[] = [];
  let waiting: Turn[] = [];
  for (const turn of turns) {
    const hasToolResults = turn.role === 'user' && turn.parts.some(({ type }) => type === 'tool-result');
    if (turn.role === 'system') waiting.push(turn);
    else {
      orderedTurns.push(...(hasToolResults ? [turn, ...waiting] : [...waiting, turn]));
      waiting = [];
    }
  }
  return [...orderedTurns, ...waiting];
}
