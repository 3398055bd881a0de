/** The rules of reasoning (Amazon Bedrock user guide, "Extended thinking"): it is asked for in the model's own fields, and returns as it was given. */
import { isSignatureOf, opened, type SignatureScope } from '../exchange/proof.ts';
import { requireThat } from '../exchange/request-error.ts';
import type { ConverseRequest } from './request.ts';

/** Returns the scope of the reasoning that a model can verify. */
export const scopeOf = (modelId: string): SignatureScope => ['bedrock', modelId];

/** The smallest budget that is taken. */
const MIN_BUDGET = 1024;
const PATH = ['additionalModelRequestFields', 'thinking'];

const thinkingOf = ({ additionalModelRequestFields: fields }: ConverseRequest) =>
  Object(fields?.thinking) as { readonly type?: unknown; readonly budget_tokens?: unknown };

/**
 * Returns whether a response starts with reasoning. Models behind the service have the same parameter as in their own
 * API.
 */
export function thinks(request: ConverseRequest): boolean {
  const { type } = thinkingOf(request);
  return type === 'enabled' || type === 'adaptive';
}

function checkParameters(request: ConverseRequest): void {
  const { type, budget_tokens: budget } = thinkingOf(request);
  const { maxTokens, temperature } = request.inferenceConfig ?? {};
  if (type === 'enabled') {
    const isEnough = typeof budget === 'number' && Number.isInteger(budget) && budget >= MIN_BUDGET;
    requireThat(isEnough, `budget_tokens must be an integer of at least ${MIN_BUDGET}`, PATH);
    const fits = maxTokens == null || maxTokens > Number(budget);
    requireThat(fits, '`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
  const isWarm = temperature == null || temperature === 1;
  requireThat(isWarm, '`temperature` may only be set to 1 when thinking is enabled.');
  const { any, tool } = request.toolConfig?.toolChoice ?? {};
  const isForced = any !== undefined || tool !== undefined;
  requireThat(!isForced, 'Thinking may not be enabled when tool_choice forces tool use.');
}

/** With a budget, the turn that called tools must still begin with its reasoning. */
function checkLastTurn({ messages }: ConverseRequest): void {
  const all = messages ?? [];
  const turn = all.findLastIndex(({ role }) => role === 'assistant');
  const content = all[turn]?.content ?? [];
  const isBare = content[0]?.reasoningContent === undefined;
  requireThat(
    !isBare || content.every(({ toolUse }) => toolUse === undefined),
    'Expected `thinking` or `redacted_thinking`. When `thinking` is enabled, a final `assistant` message must start with a thinking block',
    ['messages', turn, 'content', 0],
  );
}

/** Throws `RequestError` if parameters do not fit together or a piece of reasoning is not from this model. */
export function checkReasoning(request: ConverseRequest, modelId: string): void {
  if (thinks(request)) checkParameters(request);
  if (thinkingOf(request).type === 'enabled') checkLastTurn(request);
  const scope = scopeOf(modelId);
  for (const [turn, { content }] of (request.messages ?? []).entries())
    for (const [index, { reasoningContent }] of content.entries()) {
      const path = ['messages', turn, 'content', index];
      const { reasoningText: shown, redactedContent: hidden } = reasoningContent ?? {};
      const isOwn = shown === undefined || isSignatureOf(scope, shown.text, shown.signature);
      requireThat(isOwn, 'Invalid `signature` in `thinking` block', path);
      const isKnown = hidden === undefined || opened(scope, hidden) !== undefined;
      requireThat(isKnown, 'Invalid `data` in `redacted_thinking` block', path);
    }
}
