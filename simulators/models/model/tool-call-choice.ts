/** The choice that calls tools, with arguments that satisfy their schemas. */
import { isNode } from './json-schema/schema.ts';
import { schemaInstance } from './json-schema/schema-instance.ts';
import type { ModelChoice } from './model-answer.ts';
import type { ModelTool, ModelToolCall } from './model-request.ts';
import { identifierFrom } from './random.ts';
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
