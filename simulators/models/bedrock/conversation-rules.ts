/** What Converse asks of the order of messages and of the blocks in them. */
import type { Message } from './content.ts';
import type { ConverseRequest } from './request.ts';

/** Some rules are those of a model behind the service, which is known here by its id. */
export const isClaude = (modelId: string): boolean => modelId.includes('anthropic.claude-');

export const modelSays = (message: string): string => `The model returned the following errors: ${message}`;

/** Says in the service's words how a request breaks the rule. */
export type Rule = (request: ConverseRequest, modelId: string) => string | undefined;

const messagesOf = ({ messages }: ConverseRequest): readonly Message[] => messages ?? [];

const userSpeaksFirst: Rule = (request) =>
  messagesOf(request)[0]?.role === 'user'
    ? undefined
    : 'A conversation must start with a user message. Try again with a conversation that starts with a user message.';

const rolesAlternate: Rule = (request) =>
  messagesOf(request).some(({ role }, index, all) => role === all[index - 1]?.role)
    ? 'A conversation must alternate between user and assistant roles. ' +
      'Make sure the conversation alternates between user and assistant roles and try again.'
    : undefined;

function blankBlock({ content }: Message, place: string): string | undefined {
  if (content.length === 0)
    return `The content field in the Message object at ${place} is empty. Add a ContentBlock object to the content field and try again.`;
  const blank = content.findIndex(({ text }) => text !== undefined && text.trim() === '');
  if (blank < 0) return undefined;
  return `The text field in the ContentBlock object at ${place}.content.${blank} is blank. Add text to the text field, and try again.`;
}

const messagesSaySomething: Rule = (request) =>
  messagesOf(request)
    .map((message, index) => blankBlock(message, `messages.${index}`))
    .find((complaint) => complaint !== undefined);

const callIds = (message: Message | undefined): readonly string[] =>
  (message?.content ?? []).flatMap(({ toolUse }) => (toolUse === undefined ? [] : [toolUse.toolUseId]));

const resultIds = (message: Message | undefined): readonly string[] =>
  (message?.content ?? []).flatMap(({ toolResult }) =>
    toolResult === undefined ? [] : [toolResult.toolUseId],
  );

const without = (ids: readonly string[], others: readonly string[]): string[] =>
  ids.filter((id) => !others.includes(id));

/** Complains when the results in a turn are not those of the calls in the turn before it. */
function unpaired(calls: readonly string[], results: readonly string[], place: string): string | undefined {
  if (results.length > calls.length)
    return `The number of toolResult blocks at ${place} exceeds the number of toolUse blocks of previous turn.`;
  if (new Set(results).size < results.length)
    return `The toolResult blocks at ${place} contain duplicate Ids: ${results.join(', ')}`;
  const missing = without(calls, results);
  if (missing.length > 0)
    return `Expected toolResult blocks at ${place} for the following Ids: ${missing.join(', ')}`;
  const unexpected = without(results, calls);
  return unexpected.length > 0
    ? `The toolResult blocks at ${place} contain unexpected Ids: ${unexpected.join(', ')}`
    : undefined;
}

const resultsFollowCalls: Rule = (request) => {
  const messages = messagesOf(request);
  // One turn more than there is, for the calls that nothing follows.
  return [...messages, undefined]
    .map((message, index) =>
      unpaired(callIds(messages[index - 1]), resultIds(message), `messages.${index}.content`),
    )
    .find((complaint) => complaint !== undefined);
};

const failuresSayWhy: Rule = (request) => {
  for (const [index, { content }] of messagesOf(request).entries()) {
    const empty = content.findIndex(
      ({ toolResult }) => toolResult?.status === 'error' && toolResult.content.length === 0,
    );
    if (empty >= 0)
      return `The content field at messages.${index}.content.${empty}.toolResult cannot be empty when status value is error.`;
  }
  return undefined;
};

const toolBlocksNeedTools: Rule = (request) =>
  !request.toolConfig &&
  messagesOf(request).some((message) => callIds(message).length > 0 || resultIds(message).length > 0)
    ? 'The toolConfig field must be defined when using toolUse and toolResult content blocks.'
    : undefined;

const claudeReadsResultsFirst: Rule = (request, modelId) => {
  const index = messagesOf(request).findIndex(({ content }) => {
    const others = content.findIndex(({ toolResult }) => toolResult === undefined);
    return others >= 0 && content.slice(others).some(({ toolResult }) => toolResult !== undefined);
  });
  if (!isClaude(modelId) || index < 0) return undefined;
  const ids = callIds(messagesOf(request)[index - 1]).join(', ');
  return modelSays(
    `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. ` +
      'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  );
};

const claudeReadsNoBlankResults: Rule = (request, modelId) =>
  isClaude(modelId) &&
  messagesOf(request)
    .flatMap(({ content }) => content.flatMap(({ toolResult }) => toolResult?.content ?? []))
    .some(({ text }) => text?.trim() === '')
    ? modelSays('messages: text content blocks must be non-empty')
    : undefined;

const claudeContinuesText: Rule = (request, modelId) => {
  const last = messagesOf(request).at(-1);
  const text = last?.role === 'assistant' ? last.content.at(-1)?.text : undefined;
  return isClaude(modelId) && text !== undefined && /\s$/u.test(text)
    ? modelSays('messages: final assistant content cannot end with trailing whitespace')
    : undefined;
};

export const conversationRules: readonly Rule[] = [
  userSpeaksFirst,
  rolesAlternate,
  messagesSaySomething,
  toolBlocksNeedTools,
  resultsFollowCalls,
  failuresSayWhy,
  claudeReadsResultsFirst,
  claudeReadsNoBlankResults,
  claudeContinuesText,
];
