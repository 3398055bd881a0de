/** The answer, whole or streamed (Gemini API reference, GenerateContentResponse). */

import { parsedJson } from '../../parsed-json.ts';
import type { Fault } from '../control/fault.ts';
import { contentBlocksOf, fragmentsOf, type OutputBlock } from '../exchange/blocks.ts';
import { signatureOf } from '../exchange/proof.ts';
import { type SimulatedEvent, usageField } from '../exchange/reply.ts';
import type { ModelChoice, ModelUsage } from '../model/model.ts';
import { scopeOf } from './question.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface GeminiEnvelope {
  readonly model: string;
  readonly responseId: string;
  readonly fault: Fault;
}

const FINISH_REASONS = {
  length: 'MAX_TOKENS',
  'tool-calls': 'STOP',
  refusal: 'SAFETY',
  stop: 'STOP',
} as const;

/** Only the first call at once is proven. Arguments that were cut become none. */
function partsOf(block: OutputBlock, isFirstCall: boolean, model: string): Fields[] {
  if (block.kind !== 'call')
    return [...fragmentsOf(block)].map((text) => ({
      text,
      ...(block.kind === 'thinking' ? { thought: true } : {}),
    }));
  const { id, name } = block.call;
  const functionCall = { id, name, args: parsedJson(block.text) ?? {} };
  const signatureField = isFirstCall ? { thoughtSignature: signatureOf(scopeOf(model), name) } : {};
  return [{ functionCall, ...signatureField }];
}

function allParts(choice: ModelChoice, model: string): Fields[] {
  const blocks = contentBlocksOf(choice);
  const firstCall = blocks.findIndex(({ kind }) => kind === 'call');
  return blocks.flatMap((block, index) => partsOf(block, index === firstCall, model));
}

/** The candidates leave out what was thought; the prompt has what was read from the cache. */
const usageOf = (usage: ModelUsage) => ({
  promptTokenCount: usage.promptTokens,
  ...(usage.cachedTokens === 0 ? {} : { cachedContentTokenCount: usage.cachedTokens }),
  candidatesTokenCount: usage.completionTokens - usage.thinkingTokens,
  ...(usage.thinkingTokens === 0 ? {} : { thoughtsTokenCount: usage.thinkingTokens }),
  totalTokenCount: usage.promptTokens + usage.completionTokens,
});

const accountOf = (usage: ModelUsage, { model, responseId, fault }: GeminiEnvelope) => ({
  ...usageField('usageMetadata', usageOf(usage), fault),
  modelVersion: model,
  responseId,
});

/** The answer as one document: neighbours of one kind are one part. */
export function geminiDocument(choice: ModelChoice, usage: ModelUsage, envelope: GeminiEnvelope): Fields {
  const parts: Fields[] = [];
  for (const part of allParts(choice, envelope.model)) {
    const last = parts.at(-1);
    const isMore = part.text !== undefined && last?.text !== undefined && last.thought === part.thought;
    if (isMore) parts.pop();
    parts.push(isMore ? { ...part, text: `${last.text}${part.text}` } : part);
  }
  const content = { role: 'model', parts };
  const candidate = { content, finishReason: FINISH_REASONS[choice.finishReason], index: 0 };
  return { candidates: [candidate], ...accountOf(usage, envelope) };
}

/** All events of the answer: each is one of its parts, with the counts until then; the last has the reason of its end. */
export function* geminiEvents(
  choice: ModelChoice,
  usage: ModelUsage,
  envelope: GeminiEnvelope,
): Generator<SimulatedEvent> {
  for (const part of allParts(choice, envelope.model)) {
    const candidates = [{ content: { role: 'model', parts: [part] }, index: 0 }];
    const sofar = { ...usage, completionTokens: usage.thinkingTokens };
    yield { part: 'content', data: JSON.stringify({ candidates, ...accountOf(sofar, envelope) }) };
  }
  const finishReason = FINISH_REASONS[choice.finishReason];
  const candidates = [{ content: { role: 'model', parts: [{ text: '' }] }, finishReason, index: 0 }];
  yield { part: 'end', data: JSON.stringify({ candidates, ...accountOf(usage, envelope) }) };
}
