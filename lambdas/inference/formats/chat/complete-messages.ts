/**
 * Messages with the fields that the interface does not require and the protocols of routes do. A missing `content` is an
 * empty text. A missing `tool_call_id` is that of the first call before it that no other result answers.
 */
import { ServiceError } from '../../../platform/core/errors.ts';
import type { ChatMessage } from './request.ts';

type ToolMessage = Extract<ChatMessage, { readonly role: 'tool' }>;

export type CompleteToolMessage = ToolMessage & { readonly tool_call_id: string };

export type CompleteMessage = Exclude<ChatMessage, ToolMessage> | CompleteToolMessage;

/** Throws 400 `missing_field` for a result without an id that no call can have requested. */
export function completeMessages(messages: readonly ChatMessage[]): CompleteMessage[] {
  let openCalls: string[] = [];
  return messages.map((message, index) => {
    if (message.role === 'assistant') {
      const answered = answeredAfter(messages, index);
      openCalls = (message.tool_calls ?? []).flatMap(({ id }) => (answered.has(id) ? [] : [id]));
      return message;
    }
    const complete = message.content == null ? { ...message, content: '' } : message;
    if (complete.role !== 'tool') return complete;
    const id = complete.tool_call_id ?? openCalls.shift();
    if (id === undefined) throw missingId(index);
    return { ...complete, tool_call_id: id };
  });
}

/** The ids that the results of one turn name. */
function answeredAfter(messages: readonly ChatMessage[], index: number): ReadonlySet<string> {
  const ids = new Set<string>();
  for (let at = index + 1; at < messages.length; at += 1) {
    const message = messages[at];
    if (message === undefined || message.role === 'assistant') break;
    if (message.role === 'tool' && message.tool_call_id != null) ids.add(message.tool_call_id);
  }
  return ids;
}

function missingId(index: number): ServiceError {
  const param = `messages[${index}].tool_call_id`;
  const text = `${param} is required: no tool call before this message is without a result.`;
  return new ServiceError('missing_field', text, { param });
}
