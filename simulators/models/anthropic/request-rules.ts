/** Rules between fields that a schema cannot state, as the Claude API enforces them; a gateway's mistakes show up here. */

import { unsupportedSchema } from '../model/json-schema/strict-subset.ts';
import { conversationRules } from './conversation-rules.ts';
import type { ApiVersion } from './protocol.ts';
import { type AnyRequest, thinks } from './request.ts';
import type { Rule } from './rule.ts';

/** Some rules hold for the newest models alone, which are known here by what their names begin with. */
const isClaude = ({ model }: AnyRequest): boolean => model.startsWith('claude-');

const oneOfTemperatureAndTopP: Rule = (request) =>
  isClaude(request) && request.temperature !== undefined && request.top_p !== undefined
    ? '`temperature` and `top_p` cannot both be specified for this model. Please use only one.'
    : undefined;

const stopSequencesSaySomething: Rule = ({ stop_sequences: sequences = [] }) =>
  sequences.some((sequence) => sequence.trim() === '')
    ? 'stop_sequences: each stop sequence must contain non-whitespace'
    : undefined;

const toolNamesDiffer: Rule = ({ tools = [] }) =>
  new Set(tools.map((tool) => tool.name)).size < tools.length
    ? 'tools: Tool names must be unique.'
    : undefined;

const toolChoiceIsOffered: Rule = ({ tools = [], tool_choice: choice }) => {
  if (choice === undefined) return undefined;
  if (tools.length === 0) return 'tool_choice may only be specified while providing `tools`.';
  if (choice.type !== 'tool' || tools.some((tool) => tool.name === choice.name)) return undefined;
  return `Tool '${choice.name}' not found in provided tools`;
};

const thinkingFits: Rule = (request) => {
  const { thinking, max_tokens: maxTokens, tool_choice: choice, temperature } = request;
  if (!thinks(request)) return undefined;
  if (thinking?.type === 'enabled' && maxTokens !== undefined && maxTokens <= thinking.budget_tokens)
    return '`max_tokens` must be greater than `thinking.budget_tokens`.';
  if (choice?.type === 'any' || choice?.type === 'tool')
    return 'Thinking may not be enabled when tool_choice forces tool use.';
  if (temperature !== undefined && temperature !== 1)
    return '`temperature` may only be set to 1 when thinking is enabled.';
  return undefined;
};

/** The most breakpoints a request may set (prompt caching guide). */
const MAX_BREAKPOINTS = 4;

/** The blocks and tools that ask for caching, wherever they stand. */
export function breakpoints(request: AnyRequest): number {
  const count = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 0;
    const own = 'cache_control' in value && value.cache_control ? 1 : 0;
    return own + Object.values(value).reduce<number>((sum, inner) => sum + count(inner), 0);
  };
  const { messages, system, tools = [], cache_control } = request;
  return count([
    messages,
    system,
    { cache_control },
    tools.map((tool) => ({ cache_control: tool.cache_control })),
  ]);
}

const fewBreakpoints: Rule = (request) => {
  const found = breakpoints(request);
  return found > MAX_BREAKPOINTS
    ? `A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${found}.`
    : undefined;
};

const schemaIsSupported: Rule = (request) => {
  const schema = request.output_config?.format?.schema;
  const problem = schema === undefined || !isClaude(request) ? undefined : unsupportedSchema(schema);
  return problem === undefined ? undefined : `output_config.format.schema: ${problem}`;
};

const RULES: readonly Rule[] = [
  ...conversationRules,
  oneOfTemperatureAndTopP,
  stopSequencesSaySomething,
  toolNamesDiffer,
  toolChoiceIsOffered,
  thinkingFits,
  fewBreakpoints,
  schemaIsSupported,
];

/** The first rule that `request` breaks, in the API's words. */
export function brokenRule(request: AnyRequest, version: ApiVersion): string | undefined {
  for (const rule of RULES) {
    const message = rule(request, version);
    if (message !== undefined) return message;
  }
  return undefined;
}
