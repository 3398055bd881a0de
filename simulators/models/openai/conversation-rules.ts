/** What OpenAI asks of the order of messages and of what they hold. */
import type { ChatMessage } from './content.ts';
import type { OpenAiError } from './protocol.ts';
import type { ChatRequest } from './request.ts';

/** Says in OpenAI's words how a request breaks the rule. */
export type Rule = (request: ChatRequest) => OpenAiError | undefined;

/** Follows the calls that wait for a result through the conversation, and finds the first message out of place. */
const toolResultsFollowCalls: Rule = ({ messages }) => {
  let waiting = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const error =
      message.role === 'tool' ? unexpectedResult(message, index, waiting) : missingResults(index, waiting);
    if (error !== undefined) return error;
    if (message.role === 'tool') waiting.delete(message.tool_call_id);
    if (message.role === 'assistant') waiting = new Set(message.tool_calls?.map((call) => call.id));
  }
  return missingResults(messages.length, waiting);
};

function unexpectedResult(
  message: ChatMessage & { role: 'tool' },
  index: number,
  waiting: ReadonlySet<string>,
): OpenAiError | undefined {
  if (waiting.has(message.tool_call_id)) return undefined;
  return {
    message:
      "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
    param: `messages.[${index}].role`,
  };
}

function missingResults(index: number, waiting: ReadonlySet<string>): OpenAiError | undefined {
  if (waiting.size === 0) return undefined;
  const message =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    `The following tool_call_ids did not have response messages: ${[...waiting].join(', ')}`;
  return { message, param: `messages.[${index}].role` };
}

const assistantSaysSomething: Rule = ({ messages }) => {
  const index = messages.findIndex(
    (message) => message.role === 'assistant' && !message.tool_calls && message.content == null,
  );
  if (index < 0) return undefined;
  return {
    message: "Invalid value for 'content': expected a string, got null.",
    param: `messages.[${index}].content`,
  };
};

export const conversationRules: readonly Rule[] = [assistantSaysSomething, toolResultsFollowCalls];
