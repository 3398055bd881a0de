/** The task of the user: the user's last message, without the reminders that a client adds to it. */
import type { ModelMessage } from './model.ts';

/** Marks text in a user's message that is no user's (Claude Code's form, which Claude knows). */
const REMINDER = /<system-reminder>.*?<\/system-reminder>/gsu;

/** The index of the message in `messages`, -1 without one, and its text without reminders. */
export function lastQuestion(messages: readonly ModelMessage[]): {
  readonly index: number;
  readonly text: string;
} {
  const questions = messages.map(({ role, text }) =>
    role === 'user' ? text.replace(REMINDER, '') : undefined,
  );
  const written = questions.findLastIndex((text) => text !== undefined && text.trim() !== '');
  const index = written >= 0 ? written : questions.findLastIndex((text) => text !== undefined);
  return { index, text: questions[index] ?? '' };
}
