/** Rules between fields that a schema cannot state, as OpenAI enforces them; a gateway's mistakes show up here. */
import type { ChatMessage, ChatRequest } from './chat-request.ts';
import type { OpenAiError } from './protocol.ts';

type Rule = (request: ChatRequest) => OpenAiError | undefined;

const streamOptionsNeedStream: Rule = ({ stream, stream_options: options }) =>
  options && stream !== true
    ? {
        message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        param: 'stream_options',
      }
    : undefined;

const oneTokenLimit: Rule = ({ max_tokens: maxTokens, max_completion_tokens: maxCompletionTokens }) =>
  maxTokens && maxCompletionTokens
    ? {
        message: "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
        code: 'invalid_parameter_combination',
      }
    : undefined;

/** The tools a choice names must be among those offered. */
const toolChoiceIsOffered: Rule = ({ tools, tool_choice: choice }) => {
  if (!choice || choice === 'none') return undefined;
  if (!tools)
    return { message: "'tool_choice' is only allowed when 'tools' are specified.", param: 'tool_choice' };
  if (typeof choice === 'string') return undefined;
  const named = choice.type === 'function' ? [choice] : choice.allowed_tools.tools;
  const offered = new Set(tools.map((tool) => tool.function.name));
  const unknown = named.find((tool) => !offered.has(tool.function.name))?.function.name;
  if (unknown === undefined) return undefined;
  return {
    message: `Tool choice 'function' '${unknown}' not found in 'tools' parameter.`,
    param: 'tool_choice',
  };
};

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

const RULES: readonly Rule[] = [
  streamOptionsNeedStream,
  oneTokenLimit,
  toolChoiceIsOffered,
  assistantSaysSomething,
  toolResultsFollowCalls,
];

/** The first rule that `request` breaks. */
export function brokenRule(request: ChatRequest): OpenAiError | undefined {
  for (const rule of RULES) {
    const error = rule(request);
    if (error !== undefined) return error;
  }
  return undefined;
}
