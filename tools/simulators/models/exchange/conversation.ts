/** Conversations, whatever their wire format: content blocks as neutral messages, and what every provider requires of tools. */
import type { ModelMessage, ModelToolCall } from '../model/model.ts';
import { TOKENS_PER_IMAGE } from '../model/prompt-tokens.ts';
import { countTokens } from '../model/tokens.ts';
import { type FieldPath, requireThat } from './request-error.ts';

/** The content of a content block; empty if it does not belong to the conversation. */
export interface BlockContent {
  readonly text?: string | undefined;
  readonly isImage?: boolean;
  readonly call?: ModelToolCall | undefined;
  readonly result?: ToolResult | undefined;
}

interface ToolResult {
  readonly toolCallId: string;
  readonly isError: boolean;
  readonly parts: readonly BlockContent[];
}

const contentOf = (parts: readonly BlockContent[]) => ({
  text: parts.flatMap(({ text }) => text ?? []).join('\n'),
  imageCount: parts.filter(({ isImage }) => isImage === true).length,
  toolCalls: parts.flatMap(({ call }) => call ?? []),
});

/** A message as a neutral one for each tool result in it and for each run of other parts, in order. */
export function toMessages(
  role: ModelMessage['role'],
  parts: readonly BlockContent[],
  turn?: number,
): ModelMessage[] {
  const messages: ModelMessage[] = [];
  let run: BlockContent[] = [];
  const endRun = (): void => {
    if (run.length > 0) messages.push({ role, ...contentOf(run), turn });
    run = [];
  };
  for (const part of parts) {
    const { text, isImage, call, result } = part;
    if (result !== undefined) {
      endRun();
      messages.push({ ...result, role: 'tool', ...contentOf(result.parts), turn });
    } else if (text !== undefined || isImage === true || call !== undefined) run.push(part);
  }
  endRun();
  return messages;
}

/** The tokens of a block's own content, without the edges of the message that it stands in. */
export function partTokens({ text = '', isImage, call, result }: BlockContent): number {
  const called = call === undefined ? 0 : countTokens(call.name) + countTokens(call.arguments);
  const inner = (result?.parts ?? []).reduce((sum, part) => sum + partTokens(part), 0);
  return countTokens(text) + (isImage === true ? TOKENS_PER_IMAGE : 0) + called + inner;
}

/**
 * Calls are followed at once by a result each, and nothing else is a result. `inOneTurn`: all results of a message's
 * calls stand in one message. Throws `RequestError`.
 */
export function checkToolTurns(messages: readonly ModelMessage[], inOneTurn: boolean): void {
  let open = new Set<string | undefined>();
  let resultTurn: number | undefined;
  const checkCompletedCalls = (path: FieldPath): void => {
    const ids = [...open].join(', ');
    requireThat(open.size === 0, `tool calls without a tool result immediately after: ${ids}`, path);
  };
  for (const { role, toolCallId, toolCalls, turn = 0 } of messages) {
    const path = ['messages', turn];
    if (role === 'tool') {
      requireThat(open.delete(toolCallId), `the tool result ${toolCallId} has no tool call before it`, path);
      resultTurn ??= turn;
      requireThat(!inOneTurn || turn === resultTurn, 'results of one message stand in one message', path);
      continue;
    }
    checkCompletedCalls(path);
    resultTurn = undefined;
    open = new Set(toolCalls.map(({ id }) => id));
    requireThat(open.size === toolCalls.length, 'ids of tool calls must be unique', path);
  }
  checkCompletedCalls(['messages', messages.at(-1)?.turn ?? 0]);
}

/** The first turn is the user's, and roles alternate. Throws `RequestError`. */
export function checkAlternation(turns: readonly { readonly role: string }[], field: string): void {
  requireThat(turns[0]?.role === 'user', 'A conversation must start with a user message.', [field]);
  const repeated = turns.findIndex(({ role }, index) => role === turns[index - 1]?.role);
  requireThat(repeated < 0, 'Roles must alternate.', [field, repeated]);
}

export function checkOffered(tools: readonly string[], chosen: readonly string[], path: FieldPath): void {
  const unknown = chosen.find((name) => !tools.includes(name));
  requireThat(unknown === undefined, `the tool '${unknown}' is not among the tools`, path);
}

export function checkUnique(tools: readonly string[], path: FieldPath): void {
  requireThat(new Set(tools).size === tools.length, 'Tool names must be unique.', path);
}
