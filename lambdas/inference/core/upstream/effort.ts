/** Converts between the two forms of reasoning requests: an effort, and a budget of tokens within the output limit. */

import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import { type Dialect, EFFORTS, type Effort } from '../catalog/dialect.ts';
import { knownEffort, type ReasoningRequest } from './conversation.ts';

/**
 * Shares of the output limit in percent, as published by OpenRouter (OpenRouter docs, Reasoning tokens, Reasoning
 * effort level).
 */
const SHARES: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 10,
  low: 20,
  medium: 50,
  high: 80,
  xhigh: 95,
  max: 95,
};

/** The smallest budget that Claude takes, tokens (Claude docs, Extended thinking). */
const MIN_BUDGET = 1_024;

/** The effort if thinking is requested without an amount. */
const DEFAULT_EFFORT = 'medium';

/** The request is for no reasoning at all. */
export const isOff = ({ effort, maxTokens }: ReasoningRequest): boolean =>
  effort === 'none' || maxTokens === 0;

/**
 * Returns the reasoning budget for an output of at most `maxTokens`: at least `minBudget` tokens, and fewer than the
 * output has. Undefined if no reasoning is requested or the output is too small.
 */
export function budgetOf(
  request: ReasoningRequest,
  maxTokens: number,
  minBudget = MIN_BUDGET,
): number | undefined {
  if (isOff(request) || maxTokens <= minBudget) return undefined;
  const { effort, maxTokens: bound } = request;
  const share =
    effort === undefined && bound !== undefined ? bound : shareOf(effort ?? DEFAULT_EFFORT, maxTokens);
  return Math.min(Math.max(Math.min(share, bound ?? share), minBudget), maxTokens - 1);
}

/**
 * Returns the effort of a request: the requested one, or the one whose share of `maxTokens` is nearest to the budget.
 * If both are given, returns the lower one. Undefined if neither is given.
 */
export function effortOf(request: ReasoningRequest, maxTokens: number): Effort | undefined {
  if (isOff(request)) return 'none';
  const { effort, maxTokens: bound } = request;
  if (bound === undefined) return effort;
  const ofBudget = nearest(STEPS, (step) => Math.abs(shareOf(step, maxTokens) - bound));
  return effort === undefined || rankOf(ofBudget) < rankOf(effort) ? ofBudget : effort;
}

/**
 * Returns whether a request in the form of the dialect says how much reasoning is requested, or that none is. A form that
 * only switches reasoning on does not, nor does a budget that the output has no room for.
 */
export function expressesEffort(
  { reasoning_request: form, reasoning_efforts: efforts }: Dialect = {},
  request: ReasoningRequest,
  maxTokens: number,
): boolean {
  if (form === undefined || form === 'none') return false;
  if (isOff(request) || efforts !== undefined) return true;
  if (form === 'budget') return budgetOf(request, maxTokens) !== undefined;
  if (form === 'enable_thinking') return budgetOf(request, maxTokens, 1) !== undefined;
  return form === 'effort' || form === 'adaptive' || form === 'reasoning';
}

/** The step of a list, from low to high and not empty, that is nearest to an effort; of two, the lower. */
export const nearestEffort = <Step extends Effort>(effort: Effort, steps: readonly [Step, ...Step[]]): Step =>
  nearest(steps, (step) => Math.abs(rankOf(step) - rankOf(effort)));

const STEPS = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

const rankOf = (effort: Effort): number => EFFORTS.indexOf(effort);

const shareOf = (effort: Effort, maxTokens: number): number => Math.floor((maxTokens * SHARES[effort]) / 100);

/** The first of those with the smallest distance. */
const nearest = <Step>(
  [first, ...rest]: readonly [Step, ...Step[]],
  distance: (step: Step) => number,
): Step => rest.reduce((best, step) => (distance(step) < distance(best) ? step : best), first);

/**
 * The request for a model's reasoning in a chat request, under the names that hosts of the protocol use. They are
 * `reasoning_effort` (OpenAI API reference), `reasoning` (OpenRouter docs, Reasoning tokens) and `thinking` (DeepSeek
 * API docs, Thinking mode; Claude API docs, OpenAI SDK compatibility).
 */
export interface ReasoningFields {
  readonly reasoning_effort?: unknown;
  readonly reasoning?: unknown;
  readonly thinking?: unknown;
}

/** Returns the requested reasoning. Undefined if none is requested, and for an unknown effort. */
export function reasoningRequestOf(fields: ReasoningFields): ReasoningRequest | undefined {
  const { effort: named, enabled, max_tokens: maxReasoningTokens } = objectOf(fields.reasoning);
  const { type, budget_tokens: budget } = objectOf(fields.thinking);
  const switched = type === 'disabled' || enabled === false ? 'none' : undefined;
  const isOn = type === 'enabled' || enabled === true;
  const effort = switched ?? knownEffort(fields.reasoning_effort ?? named) ?? (isOn ? 'medium' : undefined);
  const maxTokens = maxReasoningTokens ?? budget;
  if (effort === undefined && typeof maxTokens !== 'number') return undefined;
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(typeof maxTokens === 'number' ? { maxTokens } : {}),
  };
}

const objectOf = (value: unknown) => (isJsonObject(value) ? value : {});
