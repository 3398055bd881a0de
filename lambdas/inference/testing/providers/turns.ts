/** Turns of conversations; a string stands for a part with that text. */
import type { AssistantPart, Turn, UserPart } from '../../core/upstream/conversation.ts';

export const text = (words: string) => ({ type: 'text', text: words }) as const;

export const user = (...parts: readonly (UserPart | string)[]): Turn => ({
  role: 'user',
  parts: parts.map((part) => (typeof part === 'string' ? text(part) : part)),
});

export const assistant = (...parts: readonly (AssistantPart | string)[]): Turn => ({
  role: 'assistant',
  parts: parts.map((part) => (typeof part === 'string' ? text(part) : part)),
});

export const toolCall = (id: string, name = 'f', args = '{}') =>
  ({ type: 'tool-call', id, name, arguments: args }) as const;

type ResultContent = Extract<UserPart, { type: 'tool-result' }>['content'];

/** The result of a call; a failure by a third argument. */
export const toolResult = (id: string, content: ResultContent | string = [], isError = false) =>
  ({
    type: 'tool-result',
    id,
    content: typeof content === 'string' ? [text(content)] : content,
    isError,
  }) as const;
