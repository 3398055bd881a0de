/** The answer, whole or streamed (Claude API reference, "Message"; guide "Streaming Messages"). */

import { parsedJson } from '../../parsed-json.ts';
import type { Fault } from '../control/fault.ts';
import { contentBlocksOf, fragmentsOf, type OutputBlock } from '../exchange/blocks.ts';
import { signatureOf } from '../exchange/proof.ts';
import { type SimulatedEvent, usageField } from '../exchange/reply.ts';
import type { ModelChoice, ModelUsage } from '../model/model.ts';
import { scopeOf } from './reasoning.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface MessageEnvelope {
  readonly id: string;
  readonly model: string;
  /** The speed, region and tier used: fields of the usage with which a message starts. */
  readonly accounting: Fields;
  readonly fault: Fault;
}

function completeBlock(block: OutputBlock, model: string): Fields {
  const { text } = block;
  if (block.kind === 'thinking')
    return { type: 'thinking', thinking: text, signature: signatureOf(scopeOf(model), text) };
  if (block.kind === 'text') return { type: 'text', text };
  const { id, name } = block.call;
  // Arguments cut by `max_tokens` are no document.
  const input = parsedJson(text) ?? {};
  return { type: 'tool_use', id: `toolu_${id}`, name, input, caller: { type: 'direct' } };
}

/** The fields of a block that a stream leaves empty at first, and its delta: the type, and the field with the piece. */
const OPENINGS = {
  thinking: { thinking: '', signature: '' },
  text: { text: '' },
  call: { input: {} },
};
const DELTAS = {
  thinking: ['thinking_delta', 'thinking'],
  text: ['text_delta', 'text'],
  call: ['input_json_delta', 'partial_json'],
} as const;

function* deltasOf(block: OutputBlock, model: string): Generator<Fields> {
  const [type, field] = DELTAS[block.kind];
  for (const fragment of fragmentsOf(block)) yield { type, [field]: fragment };
  if (block.kind === 'thinking')
    yield { type: 'signature_delta', signature: signatureOf(scopeOf(model), block.text) };
}

/** `input_tokens` excludes what was read from the cache or written to it. */
const usageOf = (usage: ModelUsage) => ({
  input_tokens: usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens,
  cache_creation_input_tokens: usage.cacheWriteTokens,
  cache_read_input_tokens: usage.cachedTokens,
  output_tokens: usage.completionTokens,
  ...(usage.thinkingTokens === 0 ? {} : { output_tokens_details: { thinking_tokens: usage.thinkingTokens } }),
  ...(usage.webSearches === 0 ? {} : { server_tool_use: { web_search_requests: usage.webSearches } }),
});

const STOP_REASONS = { length: 'max_tokens', 'tool-calls': 'tool_use', refusal: 'refusal' } as const;

function endingOf({ finishReason, stopSequence }: ModelChoice) {
  const natural = stopSequence === undefined ? 'end_turn' : 'stop_sequence';
  return {
    stop_reason: finishReason === 'stop' ? natural : STOP_REASONS[finishReason],
    stop_sequence: stopSequence ?? null,
    stop_details: finishReason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null,
  };
}

function messageOf(envelope: MessageEnvelope, fields: Fields, usage: ModelUsage) {
  const { id, model, accounting, fault } = envelope;
  const { '5m': ephemeral_5m_input_tokens, '1h': ephemeral_1h_input_tokens } = usage.cacheWrites;
  const cache_creation = { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens };
  const message = { id, type: 'message', role: 'assistant', model, container: null, ...fields };
  return { ...message, ...usageField('usage', { cache_creation, ...accounting, ...usageOf(usage) }, fault) };
}

export function messageDocument(choice: ModelChoice, usage: ModelUsage, envelope: MessageEnvelope) {
  const content = contentBlocksOf(choice).map((block) => completeBlock(block, envelope.model));
  return messageOf(envelope, { content, ...endingOf(choice) }, usage);
}

const event = (part: SimulatedEvent['part'], name: string, fields: Fields): SimulatedEvent => ({
  part,
  name,
  data: JSON.stringify({ type: name, ...fields }),
});

function* blockEvents(block: OutputBlock, index: number, model: string): Generator<SimulatedEvent> {
  const content_block = { ...completeBlock(block, model), ...OPENINGS[block.kind] };
  yield event('between', 'content_block_start', { index, content_block });
  if (index === 0) yield event('between', 'ping', {});
  for (const delta of deltasOf(block, model)) yield event('content', 'content_block_delta', { index, delta });
  yield event('between', 'content_block_stop', { index });
}

export function* messageEvents(
  choice: ModelChoice,
  usage: ModelUsage,
  envelope: MessageEnvelope,
): Generator<SimulatedEvent> {
  const open = { content: [], stop_reason: null, stop_sequence: null, stop_details: null };
  const begun = { ...usage, completionTokens: 1, thinkingTokens: 0, webSearches: 0 };
  const message = messageOf(envelope, open, begun);
  yield event('start', 'message_start', { message });
  for (const [index, block] of contentBlocksOf(choice).entries())
    yield* blockEvents(block, index, envelope.model);
  const total = usageField('usage', usageOf(usage), envelope.fault);
  yield event('end', 'message_delta', { delta: endingOf(choice), ...total });
  yield event('end', 'message_stop', {});
}
