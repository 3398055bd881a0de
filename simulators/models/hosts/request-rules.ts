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
export const onlyMaxTokens = unknownField('max_completion_tokens');
export const onlyMaxCompletionTokens = unknownField('max_tokens');
