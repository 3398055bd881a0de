/** The answer, whole or streamed (Amazon Bedrock API reference, "Converse", "Response Syntax", and "ConverseStreamOutput"). */

import { parsedJson } from '../../parsed-json.ts';
import type { Fault } from '../control/fault.ts';
import { contentBlocksOf, fragmentsOf, type OutputBlock } from '../exchange/blocks.ts';
import { signatureOf } from '../exchange/proof.ts';
import { type SimulatedEvent, usageField } from '../exchange/reply.ts';
import type { ModelChoice, ModelToolCall, ModelUsage } from '../model/model.ts';
import { scopeOf } from './reasoning.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface ConverseEnvelope {
  readonly modelId: string;
  readonly startedAtMs: number;
  readonly fault: Fault;
  /** The requested fields of the model's own response, as JSON pointers. */
  readonly fieldPaths: readonly string[];
  /** A guardrail intervened. */
  readonly isBlocked: boolean;
}

const useOf = ({ id, name }: ModelToolCall) => ({ toolUseId: `tooluse_${id}`, name });

function completeBlock(block: OutputBlock, modelId: string): Fields {
  const { text } = block;
  if (block.kind === 'text') return { text };
  if (block.kind === 'thinking')
    return { reasoningContent: { reasoningText: { text, signature: signatureOf(scopeOf(modelId), text) } } };
  // Arguments that were cut are no document, and become an empty one.
  return { toolUse: { ...useOf(block.call), input: parsedJson(text) ?? {} } };
}

function deltaOf(kind: OutputBlock['kind'], text: string): Fields {
  if (kind === 'text') return { text };
  return kind === 'thinking' ? { reasoningContent: { text } } : { toolUse: { input: text } };
}

function* deltasOf(block: OutputBlock, modelId: string): Generator<Fields> {
  for (const fragment of fragmentsOf(block)) yield deltaOf(block.kind, fragment);
  if (block.kind === 'thinking')
    yield { reasoningContent: { signature: signatureOf(scopeOf(modelId), block.text) } };
}

const detailsOf = (writes: ModelUsage['cacheWrites']) =>
  (['1h', '5m'] as const).flatMap((ttl) => (writes[ttl] > 0 ? [{ ttl, inputTokens: writes[ttl] }] : []));

/** `inputTokens` excludes what was read from the cache or written to it; the total includes it. */
const usageOf = (usage: ModelUsage) => ({
  inputTokens: usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens,
  outputTokens: usage.completionTokens,
  totalTokens: usage.promptTokens + usage.completionTokens,
  cacheReadInputTokens: usage.cachedTokens,
  cacheWriteInputTokens: usage.cacheWriteTokens,
  ...(usage.cacheWriteTokens === 0 ? {} : { cacheDetails: detailsOf(usage.cacheWrites) }),
});

const STOP_REASONS = { length: 'max_tokens', 'tool-calls': 'tool_use', refusal: 'content_filtered' } as const;

/**
 * Returns the reason for the end of the response. The stop sequence is shown only if the request selects the model's
 * own field.
 */
function endingOf({ finishReason, stopSequence }: ModelChoice, { fieldPaths, isBlocked }: ConverseEnvelope) {
  const natural = stopSequence === undefined ? 'end_turn' : 'stop_sequence';
  const given = finishReason === 'stop' ? natural : STOP_REASONS[finishReason];
  const fields = { stop_sequence: stopSequence ?? null };
  return {
    stopReason: isBlocked ? 'guardrail_intervened' : given,
    ...(fieldPaths.includes('/stop_sequence') ? { additionalModelResponseFields: fields } : {}),
  };
}

const accountOf = (usage: ModelUsage, { startedAtMs, fault }: ConverseEnvelope) => ({
  ...usageField('usage', usageOf(usage), fault),
  metrics: { latencyMs: Date.now() - startedAtMs },
});

export function converseDocument(choice: ModelChoice, usage: ModelUsage, envelope: ConverseEnvelope) {
  const content = contentBlocksOf(choice).map((block) => completeBlock(block, envelope.modelId));
  const output = { message: { role: 'assistant', content } };
  return { output, ...endingOf(choice, envelope), ...accountOf(usage, envelope) };
}

const PADDING = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Every payload ends in a padding of some length, so that the size of a frame does not reveal its content. */
function event(part: SimulatedEvent['part'], name: string, fields: Fields): SimulatedEvent {
  const text = JSON.stringify(fields);
  const p = PADDING.slice(0, 1 + (text.length % PADDING.length));
  return { part, name, data: JSON.stringify({ ...fields, p }) };
}

function* blockEvents(
  block: OutputBlock,
  contentBlockIndex: number,
  modelId: string,
): Generator<SimulatedEvent> {
  // Only tool calls are announced.
  if (block.kind === 'call') {
    const start = { toolUse: useOf(block.call) };
    yield event('between', 'contentBlockStart', { start, contentBlockIndex });
  }
  for (const delta of deltasOf(block, modelId))
    yield event('content', 'contentBlockDelta', { delta, contentBlockIndex });
  yield event('between', 'contentBlockStop', { contentBlockIndex });
}

export function* converseEvents(
  choice: ModelChoice,
  usage: ModelUsage,
  envelope: ConverseEnvelope,
): Generator<SimulatedEvent> {
  yield event('start', 'messageStart', { role: 'assistant' });
  for (const [index, block] of contentBlocksOf(choice).entries())
    yield* blockEvents(block, index, envelope.modelId);
  yield event('end', 'messageStop', endingOf(choice, envelope));
  yield event('end', 'metadata', accountOf(usage, envelope));
}
