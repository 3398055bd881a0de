/** The rules of reasoning (Amazon Bedrock user guide, "Extended thinking"): it is asked for in the model's own fields, and returns as it was given. */
import { checkLastTurn, checkThinking, requireProof } from '../exchange/claude-rules.ts';
import { isSignatureOf, type SignatureScope } from '../exchange/proof.ts';
import { requireThat } from '../exchange/request-error.ts';
import type { ConverseRequest } from './request.ts';

export const scopeOf = (modelId: string): SignatureScope => ['bedrock', modelId];

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
  const isEnough = typeof budget === 'number' && Number.isInteger(budget) && budget >= MIN_BUDGET;
  const isBounded = type === 'enabled';
  requireThat(!isBounded || isEnough, `budget_tokens must be an integer of at least ${MIN_BUDGET}`, PATH);
  const { any, tool } = request.toolConfig?.toolChoice ?? {};
  checkThinking({
    budget: isBounded ? Number(budget) : undefined,
    maxTokens: request.inferenceConfig?.maxTokens,
    temperature: request.inferenceConfig?.temperature,
    isForced: any !== undefined || tool !== undefined,
  });
}

/** Throws `RequestError` if parameters do not fit together or a piece of reasoning is not from this model. */
export function checkReasoning(request: ConverseRequest, modelId: string): void {
  const messages = request.messages ?? [];
  if (thinks(request)) checkParameters(request);
  if (thinkingOf(request).type === 'enabled') {
    const turn = messages.findLastIndex(({ role }) => role === 'assistant');
    const kinds = (messages[turn]?.content ?? []).flatMap((block) => Object.keys(block));
    checkLastTurn(kinds, ['messages', turn, 'content', 0]);
  }
  for (const [turn, { content }] of messages.entries())
    for (const [index, { reasoningContent }] of content.entries()) {
      const path = ['messages', turn, 'content', index];
      const { reasoningText: shown, redactedContent: hidden } = reasoningContent ?? {};
      const isOwn = shown === undefined || isSignatureOf(scopeOf(modelId), shown.text, shown.signature);
      requireProof(isOwn, 'signature', path);
      // No reasoning is redacted here, so that none of it is genuine.
      requireProof(hidden === undefined, 'data', path);
    }
}
