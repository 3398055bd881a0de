/** The answer, whole or streamed (Gemini API reference, GenerateContentResponse). */
import { contentBlocksOf, fragmentsOf, type OutputBlock } from '../exchange/blocks.ts';
import { signatureOf } from '../exchange/proof.ts';
import type { SimulatedEvent } from '../exchange/reply.ts';
import { parsedJson } from '../exchange/request-body.ts';
import type { ModelChoice, ModelUsage } from '../model/model.ts';
import { scopeOf } from './question.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The properties of a response that are fixed before its first text. */
export interface GeminiEnvelope {
  readonly model: string;
  readonly responseId: string;
  /** False omits the counts, as some compatible servers do. */
  readonly withUsage: boolean;
  /** Figures in place of the model's own. */
  readonly usageFields?: Fields | undefined;
}

const FINISH_REASONS = {
  length: 'MAX_TOKENS',
  'tool-calls': 'STOP',
  refusal: 'SAFETY',
  stop: 'STOP',
} as const;

/** Only the first call at once is proven; what may not be shown is left out. Arguments that were cut become none. */
function partsOf(block: OutputBlock, isFirstCall: boolean, model: string): Fields[] {
  if (block.kind === 'redacted') return [];
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

const accountOf = (usage: ModelUsage, { model, responseId, withUsage, usageFields }: GeminiEnvelope) => ({
  ...(withUsage ? { usageMetadata: { ...usageOf(usage), ...usageFields } } : {}),
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
