/** The tools an answer calls (the forced one, those that the user names, or one that fits the task), and the choice that calls them. */
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

/** `Use the tool`, `call a function`. */
const TOOL_WANTED = /\b(?:use|call|run|invoke)\b[^.?!\n]{0,20}\b(?:tools?|functions?)\b/iu;

/** Coding agents offer more tools, and describe them in more words, than could have one in common with a task by chance only. */
const MAX_TOOLS = 8;
const MAX_DESCRIPTION = 120;

/** Words of four letters or more, without those that say nothing about a tool. */
const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .replaceAll(/([a-z])([A-Z])/gu, '$1 $2')
      .toLowerCase()
      .split(/[^\p{L}]+/u)
      .filter((word) => word.length >= 4 && !PLAIN_WORDS.has(word)),
  );

const PLAIN_WORDS = new Set(
  'call calls current does exactly find from function give given have into list made make name number repeat return returns say says some text that their them this time tool tools used user uses value values want what when where which will with word words write your'.split(
    ' ',
  ),
);

/** Returns the tool that has most words in common with the task; with a wish for a tool, the first if none has any. */
function relatedTools(tools: readonly ModelTool[], task: string): readonly ModelTool[] {
  if (tools.length > MAX_TOOLS) return [];
  const words = wordsOf(task);
  const [best] = tools
    .map((tool) => {
      const { name, description = '', parameters } = tool;
      const properties = Object.keys(Object(Object(parameters).properties));
      const short = description.length > MAX_DESCRIPTION ? '' : description;
      const own = wordsOf([name, short, ...properties].join(' '));
      return { tool, common: [...own].filter((word) => words.has(word)).length };
    })
    .toSorted((a, b) => b.common - a.common);
  return best !== undefined && (best.common > 0 || TOOL_WANTED.test(task)) ? [best.tool] : [];
}

/** The tools the answer calls, in the order the user names them; empty for an answer in text. */
function toolsToCall(request: ModelRequest): readonly ModelTool[] {
  const { toolChoice, tools, messages } = request;
  if (toolChoice === 'none' || tools.length === 0) return [];
  if (typeof toolChoice === 'object') return tools.filter((tool) => tool.name === toolChoice.name);
  if (toolChoice === 'auto' && messages.at(-1)?.role === 'tool') return [];
  const { text } = lastQuestion(messages);
  // In a text to repeat, a tool's name is no request to call it.
  const task = findRepeatInstruction(text)?.preamble ?? text;
  const byName = namedTools(tools, task);
  const named = byName.length > 0 ? byName : relatedTools(tools, task);
  const calls = toolChoice === 'required' && named.length === 0 ? tools.slice(0, 1) : named;
  return request.parallelToolCalls ? calls : calls.slice(0, 1);
}

/** The calls of the answer: those that the user writes out, and else one of each tool that is to be called. */
export function callsToMake(request: ModelRequest, seed: string): readonly PlannedCall[] {
  const next = nextCalls(request);
  if (next !== undefined) return request.parallelToolCalls ? next : next.slice(0, 1);
  return toolsToCall(request).map((tool, index) => callTool(tool, `${seed}/${tool.name}/${index}`));
}
