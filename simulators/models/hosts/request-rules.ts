/** What strict hosts refuse of a request's own fields. */
import { isSet, type Json } from './json-body.ts';
import type { Refusal } from './refusal.ts';

/** Finds what a host refuses of a request; undefined when there is nothing. */
export type Rule = (body: Json) => Refusal | undefined;

const unknownField =
  (field: string): Rule =>
  (body) =>
    isSet(body[field]) ? { field, reason: 'Extra inputs are not permitted' } : undefined;

export const noStore = unknownField('store');
export const noStreamOptions = unknownField('stream_options');
export const noParallelToolCalls = unknownField('parallel_tool_calls');
export const noReasoningEffort = unknownField('reasoning_effort');

/** The efforts of OpenAI's first reasoning models. */
const FEW_EFFORTS: readonly unknown[] = ['low', 'medium', 'high'];

export const fewEfforts: Rule = ({ reasoning_effort: effort }) =>
  !isSet(effort) || FEW_EFFORTS.includes(effort)
    ? undefined
    : { field: 'reasoning_effort', reason: 'Must be low, medium or high' };

export const onlyMaxTokens = unknownField('max_completion_tokens');
export const onlyMaxCompletionTokens = unknownField('max_tokens');
