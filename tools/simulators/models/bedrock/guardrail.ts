/**
 * A guardrail that blocks one word in prompts and another in outputs (Amazon Bedrock user guide, "How Guardrails works",
 * "Include a guardrail with the Converse API" and "Configure streaming response behavior"). It judges the texts of messages
 * and of the answer: neither the system's text, nor results and input of tools, nor thoughts.
 */
import type { ModelChoice, ModelUsage } from '../model/model.ts';
import type { ConverseRequest } from './request.ts';

const BLOCKED_IN_PROMPTS = 'sim-blocked-prompt';
const BLOCKED_IN_OUTPUTS = 'sim-blocked-output';
const PROMPT_MESSAGE = 'Sorry, the guardrail blocked the prompt.';
const OUTPUT_MESSAGE = 'Sorry, the guardrail blocked the output.';

interface GuardedOutput {
  readonly choice: ModelChoice;
  readonly usage: ModelUsage;
  /** The guardrail replaced the answer, or the rest of it. */
  readonly isBlocked: boolean;
}

const NOTHING_USED: ModelUsage = {
  promptTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  cacheWrites: { '5m': 0, '1h': 0 },
  completionTokens: 0,
  thinkingTokens: 0,
  webSearches: 0,
};

const blockedBy = (text: string): ModelChoice => ({
  text,
  toolCalls: [],
  finishReason: 'refusal',
  tokenCount: 0,
});

/** Returns the answer as the guardrail of the request leaves it. A model that gets no prompt counts no tokens. */
export function guarded(
  { messages, guardrailConfig: guardrail }: ConverseRequest,
  generate: () => Pick<GuardedOutput, 'choice' | 'usage'>,
): GuardedOutput {
  const prompt = (messages ?? []).flatMap(({ content }) => content.map(({ text }) => text ?? '')).join('\n');
  if (guardrail != null && prompt.includes(BLOCKED_IN_PROMPTS))
    return { choice: blockedBy(PROMPT_MESSAGE), usage: NOTHING_USED, isBlocked: true };
  const output = generate();
  const { text = '', thinking } = output.choice;
  const end = text.indexOf(BLOCKED_IN_OUTPUTS);
  if (guardrail == null || end < 0) return { ...output, isBlocked: false };
  // What is judged late has left before.
  const isLate = guardrail.streamProcessingMode === 'async';
  const shown = isLate ? `${text.slice(0, end + BLOCKED_IN_OUTPUTS.length)} ` : '';
  const choice = {
    ...blockedBy(`${shown}${OUTPUT_MESSAGE}`),
    ...(thinking === undefined ? {} : { thinking }),
  };
  return { choice, usage: output.usage, isBlocked: true };
}
