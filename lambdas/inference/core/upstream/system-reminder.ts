/**
 * System messages that stand between the turns of a conversation, for routes that take them only at its start: a user's
 * message says them, marked as no user's. At the start they would change the beginning of every later request, and a
 * provider's cache of prompts would not find it again.
 */
import type { TextPart, Turn, UserPart } from './conversation.ts';

export type SpokenTurn = Exclude<Turn, { readonly role: 'system' }>;

/** The form that Claude Code gives what is no user's in a user's message, and that Claude knows from there. */
export const reminderOf = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`;

/** The turns without those of the system: what they say ends the user's turn before, or else the next, or is a turn. */
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

/** A mark for a cache on one of the texts is on all of them. */
function toReminder(parts: readonly TextPart[]): TextPart {
  const cache = parts.findLast((part) => part.cache !== undefined)?.cache;
  return {
    type: 'text',
    text: reminderOf(parts.map(({ text }) => text).join('\n\n')),
    ...(cache === undefined ? {} : { cache }),
  };
}

/** The turns with each system message that stands between calls and their results behind the results. */
export function behindResults(turns: readonly Turn[]): Turn[] {
  const sent: Turn[] = [];
  let waiting: Turn[] = [];
  for (const turn of turns) {
    const isAnswering = turn.role === 'user' && turn.parts.some(({ type }) => type === 'tool-result');
    if (turn.role === 'system') waiting.push(turn);
    else {
      sent.push(...(isAnswering ? [turn, ...waiting] : [...waiting, turn]));
      waiting = [];
    }
  }
  return [...sent, ...waiting];
}
