/** The request for reasoning, or for none, to a server of the OpenAI protocol, in the fields of its dialect. */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import type { ReasoningRequest } from '../../core/upstream/conversation.ts';
import { askedReasoning, budgetOf, effortOf, isOff, nearestEffort } from '../../core/upstream/effort.ts';

type Dialect = CatalogRoute['dialect'];
type Way = NonNullable<NonNullable<Dialect>['reasoning_request']>;

/** The requested reasoning, within the tokens of the output. */
interface Asked {
  readonly reasoning: ReasoningRequest;
  readonly maxTokens: number;
}

/** The fields that ask the model to think, or not to; none where the route has no way to say it. */
export function reasoningFields(
  { reasoning, maxTokens }: { readonly reasoning?: ReasoningRequest; readonly maxTokens: number },
  dialect: Dialect,
): JsonObject {
  const way = dialect?.reasoning_request;
  if (way === undefined || reasoning === undefined) return {};
  const asked = { reasoning, maxTokens };
  const switched = SWITCHES[way]?.(asked);
  if (switched === undefined) return BY_AMOUNT[way]?.(asked, dialect) ?? {};
  if (dialect?.reasoning_efforts === undefined || isOff(reasoning)) return switched;
  return { ...switched, ...effortField(asked, dialect) };
}

/**
 * A request of a caller of this protocol, asked for reasoning as the route takes it. What only the route's own field
 * can say stays, and so does an effort that nobody knows, which the route is to judge.
 */
export function nativeReasoning(body: JsonObject, dialect: Dialect): JsonObject {
  const { reasoning_effort: effort, reasoning: object, thinking, ...rest } = body;
  if (dialect?.reasoning_request === undefined) return body;
  if (effort === undefined && object === undefined && thinking === undefined) return body;
  const reasoning = askedReasoning(body);
  if (reasoning === undefined && dialect.reasoning_request !== 'none') return body;
  const bound = body.max_completion_tokens ?? body.max_tokens;
  const maxTokens = typeof bound === 'number' ? bound : 0;
  const made = reasoning === undefined ? {} : reasoningFields({ reasoning, maxTokens }, dialect);
  const { max_completion_tokens: newer, ...others } = rest;
  const kept = newer === undefined || made.max_tokens !== undefined ? others : rest;
  return { ...kept, ...joined(made, ownFields(body, dialect.reasoning_request)) };
}

/** Returns what the caller wrote in the route's own field in addition to the requested reasoning. */
function ownFields(body: JsonObject, way: Way): JsonObject {
  if (way === 'reasoning') return { reasoning: body.reasoning };
  if (way === 'chat_template_kwargs') return { chat_template_kwargs: body.chat_template_kwargs };
  if (way !== 'switch' || !isJsonObject(body.thinking)) return {};
  const { type: _type, budget_tokens: _budget, ...thinking } = body.thinking;
  return { thinking };
}

const joined = (made: JsonObject, own: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(made).map(([name, value]) => {
      const written = own[name];
      return [name, isJsonObject(written) && isJsonObject(value) ? { ...value, ...written } : value];
    }),
  );

/** Fields that switch reasoning on and off. */
const SWITCHES: Readonly<Partial<Record<Way, (asked: Asked) => JsonObject>>> = {
  // DeepSeek API docs, Thinking mode; Z.ai docs, Thinking mode; Kimi API docs, Thinking models.
  switch: ({ reasoning }) => ({ thinking: { type: isOff(reasoning) ? 'disabled' : 'enabled' } }),
  // Together AI docs, Reasoning.
  reasoning_enabled: ({ reasoning }) => ({ reasoning: { enabled: !isOff(reasoning) } }),
  // Alibaba Cloud Model Studio, Deep thinking: what is thought does not count within `max_tokens` there.
  enable_thinking: ({ reasoning, maxTokens }) => {
    const budget = budgetOf(reasoning, maxTokens);
    return budget === undefined
      ? { enable_thinking: false }
      : { enable_thinking: true, thinking_budget: budget, max_tokens: maxTokens - budget };
  },
  // vLLM docs, Reasoning outputs: templates of Qwen and GLM read the one name, those of DeepSeek and Granite the other.
  chat_template_kwargs: ({ reasoning }) => {
    const on = !isOff(reasoning);
    return { chat_template_kwargs: { enable_thinking: on, thinking: on } };
  },
  // Mistral docs, Reasoning.
  prompt_mode: ({ reasoning }) => (isOff(reasoning) ? {} : { prompt_mode: 'reasoning' }),
};

/** Fields that say how much. */
const BY_AMOUNT: Readonly<Partial<Record<Way, (asked: Asked, dialect: Dialect) => JsonObject>>> = {
  effort: effortField,
  adaptive: effortField,
  // Claude API docs, OpenAI SDK compatibility, Extended thinking.
  budget: ({ reasoning, maxTokens }) => {
    const budget = budgetOf(reasoning, maxTokens);
    return budget === undefined ? {} : { thinking: { type: 'enabled', budget_tokens: budget } };
  },
  // OpenRouter docs, Reasoning tokens: an effort or a number of tokens, not both.
  reasoning: ({ reasoning }) => {
    const { effort, maxTokens } = reasoning;
    if (isOff(reasoning)) return { reasoning: { effort: 'none' } };
    return { reasoning: maxTokens === undefined ? { effort } : { max_tokens: maxTokens } };
  },
};

/** OpenAI API reference, Create chat completion, `reasoning_effort`. */
function effortField({ reasoning, maxTokens }: Asked, dialect: Dialect): JsonObject {
  const effort = effortOf(reasoning, maxTokens);
  if (effort === undefined) return {};
  const known = dialect?.reasoning_efforts;
  return { reasoning_effort: known === undefined ? effort : nearestEffort(effort, known) };
}
