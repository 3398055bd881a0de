/** Rules between fields that a schema cannot state, as OpenAI enforces them; a gateway's mistakes show up here. */

import { conversationRules, type Rule } from './conversation-rules.ts';
import type { OpenAiError } from './protocol.ts';
import type { ChatRequest } from './request.ts';

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

const RULES: readonly Rule[] = [
  streamOptionsNeedStream,
  oneTokenLimit,
  toolChoiceIsOffered,
  ...conversationRules,
];

/** The first rule that `request` breaks. */
export function brokenRule(request: ChatRequest): OpenAiError | undefined {
  for (const rule of RULES) {
    const error = rule(request);
    if (error !== undefined) return error;
  }
  return undefined;
}
