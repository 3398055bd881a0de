/** The answer as a document (OpenAI API reference, "The response object"). */

import type { Fault } from '../control/fault.ts';
import { contentBlocksOf, type OutputBlock } from '../exchange/blocks.ts';
import { type SignatureScope, sealed } from '../exchange/proof.ts';
import { usageField } from '../exchange/reply.ts';
import type { ModelChoice, ModelUsage } from '../model/model.ts';
import { identifierFrom } from '../model/random.ts';
import type { SealedReasoning } from './history.ts';
import { callersTools, type ResponsesRequest } from './request.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface ResponseEnvelope {
  readonly id: string;
  readonly createdAt: number;
  readonly request: ResponsesRequest;
  readonly serviceTier: string;
  readonly scope: SignatureScope;
  readonly fault: Fault;
}

export interface SimulatedOutputItem {
  readonly block: OutputBlock;
  readonly item: Fields & { readonly id: string };
}

const ITEM_ID_LENGTH = 43;

/** The summary of a thought in parts: its first sentence, and what follows. */
function summaryParts(text: string): string[] {
  const end = text.indexOf('. ') + 1;
  return end === 0 ? [text] : [text.slice(0, end), text.slice(end + 1)].filter((part) => part !== '');
}

const summaryOf = (text: string, { request }: ResponseEnvelope) => {
  const summaryMode = request.reasoning?.summary ?? request.reasoning?.generate_summary;
  return summaryMode == null ? [] : summaryParts(text).map((part) => ({ type: 'summary_text', text: part }));
};

function itemOf(
  block: OutputBlock,
  key: string,
  envelope: ResponseEnvelope,
  isRefusal: boolean,
): SimulatedOutputItem['item'] {
  const { text } = block;
  const suffix = identifierFrom(key, ITEM_ID_LENGTH);
  const status = 'completed';
  if (block.kind === 'text') {
    const part = isRefusal
      ? { type: 'refusal', refusal: text }
      : { type: 'output_text', annotations: [], logprobs: [], text };
    return { id: `msg_${suffix}`, type: 'message', status, role: 'assistant', content: [part] };
  }
  if (block.kind !== 'call') {
    const id = `rs_${suffix}`;
    const content: SealedReasoning = { id, text };
    const isIncluded = envelope.request.include?.includes('reasoning.encrypted_content') === true;
    const encrypted = isIncluded ? { encrypted_content: sealed(envelope.scope, content) } : {};
    return { id, type: 'reasoning', ...encrypted, summary: summaryOf(text, envelope) };
  }
  const { id: callId, name } = block.call;
  const { type, namespace } = callersTools(envelope.request).find((each) => each.name === name) ?? {};
  const fields = { status, call_id: `call_${callId}`, name, namespace };
  return type === 'custom'
    ? { id: `ctc_${suffix}`, type: 'custom_tool_call', input: text, ...fields }
    : { id: `fc_${suffix}`, type: 'function_call', arguments: text, ...fields };
}

/** The items of the answer, in order; where the limit ended it, the last one is not complete. */
export function outputItemsOf(choice: ModelChoice, envelope: ResponseEnvelope): SimulatedOutputItem[] {
  const blocks = contentBlocksOf(choice);
  return blocks.map((block, index) => {
    const item = itemOf(block, `${envelope.id} ${index}`, envelope, choice.finishReason === 'refusal');
    const isCut = choice.finishReason === 'length' && index === blocks.length - 1;
    return { block, item: isCut && 'status' in item ? { ...item, status: 'incomplete' } : item };
  });
}

const usageOf = (usage: ModelUsage) => ({
  input_tokens: usage.promptTokens,
  input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: usage.cacheWriteTokens },
  output_tokens: usage.completionTokens,
  output_tokens_details: { reasoning_tokens: usage.thinkingTokens },
  total_tokens: usage.promptTokens + usage.completionTokens,
});

/** The fields of the request that its answer repeats, with their defaults. */
const REPEATED = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  model: null,
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  prompt_cache_retention: null,
  safety_identifier: null,
  service_tier: 'auto',
  store: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
  metadata: {},
} satisfies Partial<Record<keyof ResponsesRequest, unknown>>;

const repeatedFields = (request: ResponsesRequest): Fields =>
  Object.fromEntries(
    Object.entries(REPEATED).map(([name, usual]) => [name, request[name as keyof typeof REPEATED] ?? usual]),
  );

/** The document while the answer is being made. */
export function openDocument({ id, createdAt, request }: ResponseEnvelope): Fields {
  const { format = null, verbosity = null } = request.text ?? {};
  return {
    id,
    object: 'response',
    created_at: createdAt,
    status: 'in_progress',
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    ...repeatedFields(request),
    output: [],
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    text: { format: format ?? { type: 'text' }, verbosity: verbosity ?? 'medium' },
    usage: null,
  };
}

export function responseDocument(choice: ModelChoice, usage: ModelUsage, envelope: ResponseEnvelope): Fields {
  const isCut = choice.finishReason === 'length';
  return {
    ...openDocument(envelope),
    status: isCut ? 'incomplete' : 'completed',
    completed_at: isCut ? null : Math.floor(Date.now() / 1000),
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: outputItemsOf(choice, envelope).map(({ item }) => item),
    service_tier: envelope.serviceTier,
    ...usageField('usage', usageOf(usage), envelope.fault),
  };
}
