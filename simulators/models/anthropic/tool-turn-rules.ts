/**
 * What the Claude API asks of calls and their results: that they face each other in neighbouring messages. Neighbours of
 * one role are not joined first, because the guide on parallel tool use wants all results in one message.
 */
import { blocksOf, type Message } from './content.ts';
import { firstComplaint, type Rule } from './rule.ts';

const callIds = (message: Message | undefined): readonly string[] =>
  blocksOf(message?.content).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));

const toolUseIdsDiffer: Rule = ({ messages }) =>
  firstComplaint(messages, (message, index) =>
    new Set(callIds(message)).size < callIds(message).length
      ? `messages.${index}: \`tool_use\` ids must be unique`
      : undefined,
  );

/** The results at the beginning of the message: what follows another block answers no call. */
function leadingResultIds(message: Message | undefined): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const block of blocksOf(message?.content)) {
    if (block.type !== 'tool_result') break;
    ids.add(block.tool_use_id);
  }
  return ids;
}

const callsHaveResults: Rule = ({ messages }) =>
  firstComplaint(messages, (message, index) => {
    const next = messages[index + 1];
    const results = leadingResultIds(next);
    const open = callIds(message).filter((id) => !results.has(id));
    if (open.length === 0) return undefined;
    return (
      `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
      `${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
    );
  });

const resultsHaveCalls: Rule = ({ messages }) =>
  firstComplaint(messages, ({ content }, index) => {
    const calls = new Set(callIds(messages[index - 1]));
    const seen = new Set<string>();
    for (const [position, block] of blocksOf(content).entries()) {
      if (block.type !== 'tool_result') continue;
      const id = block.tool_use_id;
      if (!calls.has(id))
        return (
          `messages.${index}.content.${position}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ` +
          'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.'
        );
      if (seen.has(id))
        return `messages.${index}.content.${position}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
      seen.add(id);
    }
    return undefined;
  });

/** With a thinking budget, the turn that called tools must still begin with its thought. */
const callsKeepTheirThought: Rule = ({ messages, thinking }) => {
  const index = messages.findLastIndex(({ role }) => role === 'assistant');
  const [first] = blocksOf(messages[index]?.content);
  if (thinking?.type !== 'enabled' || callIds(messages[index]).length === 0) return undefined;
  if (first === undefined || first.type === 'thinking' || first.type === 'redacted_thinking')
    return undefined;
  return (
    `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. ` +
    'When `thinking` is enabled, a final `assistant` message must start with a thinking block.'
  );
};

export const toolTurnRules: readonly Rule[] = [
  toolUseIdsDiffer,
  callsHaveResults,
  resultsHaveCalls,
  callsKeepTheirThought,
];
