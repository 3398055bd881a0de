/** The request for reasoning, or for none, to a server of the OpenAI protocol, in the fields of its dialect. */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import type { ReasoningRequest } from '../../core/upstream/conversation.ts';
import { budgetOf, effortOf, isOff, nearestEffort, reasoningRequestOf } from '../../core/upstream/effort.ts';

type Dialect = CatalogRoute['dialect'];
type ReasoningMode = NonNullable<NonNullable<Dialect>['reasoning_request']>;

/** The requested reasoning, within the tokens of the output. */
interface ReasoningParams {
  readonly reasoning: ReasoningRequest;
  readonly maxTokens: number;
}

/** Returns the fields that switch reasoning on or off. Empty if the route has no such field. */
export function reasoningFields(
  { reasoning, maxTokens }: { readonly reasoning?: ReasoningRequest; readonly maxTokens: number },
  dialect: Dialect,
): JsonObject {
  const mode = dialect?.reasoning_request;
  if (mode === undefined) return {};
  // Some models reason unless the request disables it, beyond any limit of the output.
  if (reasoning === undefined) return mode === 'enable_thinking' ? { enable_thinking: false } : {};
  const params = { reasoning, maxTokens };
  const switched = SWITCHES[mode]?.(params);
  if (switched === undefined) return BY_AMOUNT[mode]?.(params, dialect) ?? {};
  if (dialect?.reasoning_efforts === undefined || isOff(reasoning)) return switched;
  return { ...switched, ...effortField(params, dialect) };
}

/**
 * Returns the request of a caller of this protocol, with reasoning requested in the route's form. Values that only the
 * route's own field can express stay. An unknown effort also stays, so that the route validates it. `enable_thinking` and
 * `thinking_budget` never stay as they are: hosts that have them do not count thoughts within the limit of the output.
 */
export function nativeReasoning(body: JsonObject, dialect: Dialect): JsonObject {
  const { reasoning_effort: effort, reasoning: object, thinking, ...others } = body;
  const { enable_thinking: on, thinking_budget: budget, ...rest } = others;
  const isSwitched = on !== undefined || budget !== undefined;
  const mode = dialect?.reasoning_request ?? (isSwitched ? 'enable_thinking' : undefined);
  if (mode === undefined) return body;
  const isRequested = isSwitched || effort !== undefined || object !== undefined || thinking !== undefined;
  if (!isRequested && mode !== 'enable_thinking') return body;
  // A budget is an amount itself; without one, `true` asks for the usual amount.
  const enabled = on === true && budget !== undefined ? undefined : on;
  const reasoning = reasoningRequestOf(
    isSwitched ? { ...body, reasoning: { enabled, max_tokens: budget, ...Object(object) } } : body,
  );
  if (reasoning === undefined && mode !== 'none')
    return mode === 'enable_thinking' ? { ...body, enable_thinking: false } : body;
  const bound = body.max_completion_tokens ?? body.max_tokens;
  const maxTokens = typeof bound === 'number' ? bound : 0;
  const routeFields =
    reasoning === undefined
      ? {}
      : reasoningFields({ reasoning, maxTokens }, { ...dialect, reasoning_request: mode });
  const { max_completion_tokens: newer, ...withoutNewer } = rest;
  const remainingFields = newer === undefined || routeFields.max_tokens !== undefined ? withoutNewer : rest;
  return { ...remainingFields, ...joinFields(routeFields, ownFields(body, mode)) };
}

/** Returns what the caller wrote in the route's own field in addition to the requested reasoning. */
function ownFields(body: JsonObject, mode: ReasoningMode): JsonObject {
  if (mode === 'reasoning') return { reasoning: body.reasoning };
  if (mode === 'chat_template_kwargs') return { chat_template_kwargs: body.chat_template_kwargs };
  if (mode !== 'switch' || !isJsonObject(body.thinking)) return {};
  const { type: _type, budget_tokens: _budget, ...thinking } = body.thinking;
  return { thinking };
}

const joinFields = (routeFields: JsonObject, callerFields: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(routeFields).map(([name, value]) => {
      const written = callerFields[name];
      return [name, isJsonObject(written) && isJsonObject(value) ? { ...value, ...written } : value];
    }),
  );

/** Fields that switch reasoning on and off. */
const SWITCHES: Readonly<Partial<Record<ReasoningMode, (params: ReasoningParams) => JsonObject>>> = {
  // DeepSeek API docs, Thinking mode; Z.ai docs, Thinking mode; Kimi API docs, Thinking models.
  switch: ({ reasoning }) => ({ thinking: { type: isOff(reasoning) ? 'disabled' : 'enabled' } }),
  // Together AI docs, Reasoning.
  reasoning_enabled: ({ reasoning }) => ({ reasoning: { enabled: !isOff(reasoning) } }),
  // Alibaba Cloud Model Studio, Deep thinking: what is thought does not count within `max_tokens` there.
  enable_thinking: ({ reasoning, maxTokens }) => {
    const budget = budgetOf(reasoning, maxTokens, 1);
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
const BY_AMOUNT: Readonly<
  Partial<Record<ReasoningMode, (params: ReasoningParams, dialect: Dialect) => JsonObject>>
> = {
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
function effortField({ reasoning, maxTokens }: ReasoningParams, dialect: Dialect): JsonObject {
  const effort = effortOf(reasoning, maxTokens);
  if (effort === undefined) return {};
  const supportedEfforts = dialect?.reasoning_efforts;
  return {
    reasoning_effort: supportedEfforts === undefined ? effort : nearestEffort(effort, supportedEfforts),
  };
}
