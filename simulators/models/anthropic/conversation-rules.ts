/** What the Claude API asks of the order of messages and of the blocks in them. */
import { blocksOf, type ContentBlock, type Message } from './content.ts';
import { firstComplaint, type Rule } from './rule.ts';
import { toolTurnRules } from './tool-turn-rules.ts';

const userSpeaksFirst: Rule = ({ messages: [first] }) => {
  if (first === undefined) return 'messages: at least one message is required';
  return first.role === 'user' ? undefined : 'messages: first message must use the "user" role';
};

const SPEAKERS: Partial<Record<ContentBlock['type'], Message['role']>> = {
  image: 'user',
  search_result: 'user',
  tool_result: 'user',
  redacted_thinking: 'assistant',
  thinking: 'assistant',
  tool_use: 'assistant',
};

const blocksSuitRoles: Rule = ({ messages }) =>
  firstComplaint(messages, ({ role, content }, index) => {
    const misplaced = blocksOf(content).find((block) => (SPEAKERS[block.type] ?? role) !== role);
    if (misplaced === undefined) return undefined;
    return `messages.${index}: \`${misplaced.type}\` blocks can only be in \`${SPEAKERS[misplaced.type]}\` messages`;
  });

const messagesSaySomething: Rule = ({ messages }) =>
  firstComplaint(messages, ({ role, content }, index) => {
    const mayBeEmpty = role === 'assistant' && index === messages.length - 1;
    if (content.length > 0 || mayBeEmpty) return undefined;
    return `messages.${index}: all messages must have non-empty content except for the optional final assistant message`;
  });

/** Complains about an empty text block, also inside a tool's result. */
function textComplaint(blocks: readonly { readonly type: string }[]): string | undefined {
  for (const block of blocks) {
    if (block.type === 'text' && 'text' in block && typeof block.text === 'string') {
      if (block.text === '') return 'text content blocks must be non-empty';
      if (block.text.trim() === '') return 'text content blocks must contain non-whitespace text';
    }
    const inner =
      'content' in block && Array.isArray(block.content) ? textComplaint(block.content) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

const textsSaySomething: Rule = ({ messages, system }) => {
  const complaint = textComplaint(messages.flatMap(({ content }) => blocksOf<ContentBlock>(content)));
  if (complaint !== undefined) return `messages: ${complaint}`;
  const systemComplaint = typeof system === 'string' ? undefined : textComplaint(system ?? []);
  return systemComplaint === undefined ? undefined : `system: ${systemComplaint}`;
};

const prefillEndsInText: Rule = ({ messages }) => {
  const last = messages.at(-1);
  const block = last?.role === 'assistant' ? blocksOf(last.content).at(-1) : undefined;
  return block?.type === 'text' && /\s$/u.test(block.text)
    ? 'messages: final assistant content cannot end with trailing whitespace'
    : undefined;
};

/** What the version of 2026 no longer takes (guide "Migrating to API version 2026-10-21"). */
const contentSuitsVersion: Rule = ({ messages }, version) =>
  firstComplaint(messages, ({ role, content }, index) => {
    if (version < '2026-10-21') return undefined;
    for (const [position, block] of blocksOf(content).entries()) {
      const place = `messages.${index}.content.${position}`;
      if (role === 'assistant' && block.type === 'document')
        return `${place}: \`document\` blocks can only be in \`user\` messages`;
      const cites = block.type === 'text' && 'citations' in block && (block.citations ?? []).length > 0;
      if (role === 'user' && cites) return `${place}.text.citations: Extra inputs are not permitted`;
    }
    return undefined;
  });

export const conversationRules: readonly Rule[] = [
  userSpeaksFirst,
  blocksSuitRoles,
  messagesSaySomething,
  textsSaySomething,
  prefillEndsInText,
  ...toolTurnRules,
  contentSuitsVersion,
];
