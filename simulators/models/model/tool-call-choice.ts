/** The tools an answer calls, the forced one or those the user names, and the choice that calls them. */
import { isNode } from './json-schema/schema.ts';
import { schemaInstance } from './json-schema/schema-instance.ts';
import type { ModelChoice } from './model-answer.ts';
import type { ModelRequest, ModelTool, ModelToolCall } from './model-request.ts';
import { identifierFrom } from './random.ts';
import { findRepeatInstruction } from './repeat-instruction.ts';
import { countTokens, cutToTokens } from './tokens.ts';

const TOOL_CALL_ID_LENGTH = 24;

function callTool(tool: ModelTool, seed: string): ModelToolCall {
  const instance = tool.parameters === undefined ? {} : schemaInstance(tool.parameters, seed);
  return {
    id: identifierFrom(seed, TOOL_CALL_ID_LENGTH),
    name: tool.name,
    arguments: JSON.stringify(isNode(instance) ? instance : {}),
  };
}

/** Spends the token limit over the calls in order; the one it runs out in keeps the start of its arguments. */
export function toolCallChoice(
  tools: readonly ModelTool[],
  seed: string,
  maxTokens: number | undefined,
): ModelChoice {
  const toolCalls: ModelToolCall[] = [];
  let tokenCount = 0;
  for (const [index, tool] of tools.entries()) {
    const call = callTool(tool, `${seed}/${tool.name}/${index}`);
    tokenCount += countTokens(call.name);
    const left = maxTokens === undefined ? undefined : Math.max(0, maxTokens - tokenCount);
    const cut = cutToTokens(call.arguments, left);
    tokenCount += cut.tokenCount;
    toolCalls.push({ ...call, arguments: cut.text });
    if (cut.truncated) return { toolCalls, finishReason: 'length', tokenCount: maxTokens ?? tokenCount };
  }
  return { toolCalls, finishReason: 'tool-calls', tokenCount };
}

/** Where `name` stands as a whole word in `text` (any case), or -1. */
function mentionIndex(text: string, name: string): number {
  const escaped = name.replace(/[\\^$*+?.()|[\]{}]/gu, '\\$&');
  return text.search(new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`, 'iu'));
}

function mentionedTools(tools: readonly ModelTool[], text: string): ModelTool[] {
  return tools
    .map((tool) => ({ tool, index: mentionIndex(text, tool.name) }))
    .filter(({ index }) => index >= 0)
    .sort((a, b) => a.index - b.index)
    .map(({ tool }) => tool);
}

/** The user's last text without a text it asks to repeat, in which a tool's name is no request to call it. */
function requestText(request: ModelRequest): string {
  const text = request.messages.findLast((message) => message.role === 'user')?.text ?? '';
  return findRepeatInstruction(text)?.preamble ?? text;
}

/** The tools the answer calls, in the order the user names them; empty for an answer in text. */
export function toolsToCall(request: ModelRequest): readonly ModelTool[] {
  const { toolChoice, tools } = request;
  if (toolChoice.kind === 'none' || tools.length === 0 || request.exactTokens !== undefined) return [];
  if (toolChoice.kind === 'tool') return tools.filter((tool) => tool.name === toolChoice.name);
  if (toolChoice.kind === 'auto' && request.messages.at(-1)?.role === 'tool') return [];
  const mentioned = mentionedTools(tools, requestText(request));
  const calls = toolChoice.kind === 'required' && mentioned.length === 0 ? tools.slice(0, 1) : mentioned;
  return request.parallelToolCalls ? calls : calls.slice(0, 1);
}
