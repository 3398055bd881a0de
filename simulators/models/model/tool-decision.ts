/** Decides which tools an answer calls: the forced one, or those the user names, as a model told to use a tool would. */

import type { ModelRequest, ModelTool } from './model-request.ts';
import { findRepeatInstruction } from './repeat-instruction.ts';

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
