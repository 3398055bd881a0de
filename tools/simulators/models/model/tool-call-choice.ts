/** The tools an answer calls, the forced one or those the user names, and the choice that calls them. */
import { lastQuestion } from './asked.ts';
import { findRepeatInstruction } from './instructions.ts';
import type { ModelChoice, ModelRequest, ModelTool, ModelToolCall } from './model.ts';
import { plainProse } from './prose.ts';
import { identifierFrom, randomFrom } from './random.ts';
import { schemaInstance } from './schema-instance.ts';
import { nextCalls, type PlannedCall } from './script.ts';
import { countTokens, cutToTokens } from './tokens.ts';

const TOOL_CALL_ID_LENGTH = 24;

function callTool(tool: ModelTool, seed: string): PlannedCall {
  if (tool.freeform === true) return { name: tool.name, arguments: plainProse(randomFrom(seed), 0) };
  const instance = tool.parameters === undefined ? {} : schemaInstance(tool.parameters, seed);
  const isObject = typeof instance === 'object' && instance !== null && !Array.isArray(instance);
  return { name: tool.name, arguments: JSON.stringify(isObject ? instance : {}) };
}

/** Spends the token limit over the calls in order; the one it runs out in keeps the start of its arguments. */
export function toolCallChoice(
  calls: readonly PlannedCall[],
  seed: string,
  maxTokens: number | undefined,
): ModelChoice {
  const toolCalls: ModelToolCall[] = [];
  let tokenCount = 0;
  for (const [index, planned] of calls.entries()) {
    const id = identifierFrom(`${seed}/${planned.name}/${index}`, TOOL_CALL_ID_LENGTH);
    const call = { id, ...planned };
    tokenCount += countTokens(call.name);
    const remainingTokens = maxTokens === undefined ? undefined : Math.max(0, maxTokens - tokenCount);
    const cut = cutToTokens(call.arguments, remainingTokens);
    tokenCount += cut.tokenCount;
    toolCalls.push({ ...call, arguments: cut.text });
    if (cut.truncated) return { toolCalls, finishReason: 'length', tokenCount: maxTokens ?? tokenCount };
  }
  return { toolCalls, finishReason: 'tool-calls', tokenCount };
}

function namedTools(tools: readonly ModelTool[], text: string): ModelTool[] {
  return tools
    .map((tool) => {
      const name = tool.name.replace(/[\\^$*+?.()|[\]{}]/gu, '\\$&');
      return { tool, index: text.search(new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'iu')) };
    })
    .filter(({ index }) => index >= 0)
    .sort((a, b) => a.index - b.index)
    .map(({ tool }) => tool);
}

/** The tools the answer calls, in the order the user names them; empty for an answer in text. */
function toolsToCall(request: ModelRequest): readonly ModelTool[] {
  const { toolChoice, tools, messages } = request;
  if (toolChoice === 'none' || tools.length === 0) return [];
  if (typeof toolChoice === 'object') return tools.filter((tool) => tool.name === toolChoice.name);
  if (toolChoice === 'auto' && messages.at(-1)?.role === 'tool') return [];
  const { text } = lastQuestion(messages);
  // In a text to repeat, a tool's name is no request to call it.
  const named = namedTools(tools, findRepeatInstruction(text)?.preamble ?? text);
  const calls = toolChoice === 'required' && named.length === 0 ? tools.slice(0, 1) : named;
  return request.parallelToolCalls ? calls : calls.slice(0, 1);
}

/** The calls of the answer: those that the user writes out, and else one of each tool that is to be called. */
export function callsToMake(request: ModelRequest, seed: string): readonly PlannedCall[] {
  const next = nextCalls(request);
  if (next !== undefined) return request.parallelToolCalls ? next : next.slice(0, 1);
  return toolsToCall(request).map((tool, index) => callTool(tool, `${seed}/${tool.name}/${index}`));
}
