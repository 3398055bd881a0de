/** The answer as a document (OpenAI API reference, "The response object"). */
import { contentBlocksOf, type OutputBlock } from '../exchange/blocks.ts';
import { type SignatureScope, sealed } from '../exchange/proof.ts';
import type { ModelChoice, ModelUsage } from '../model/model.ts';
import { identifierFrom } from '../model/random.ts';
import type { SealedReasoning } from './history.ts';
import { callersTools, type ResponsesRequest } from './request.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The properties of a response that are fixed before its first text. */
export interface ResponseEnvelope {
  readonly id: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly request: ResponsesRequest;
  /** The tier that serves. */
  readonly serviceTier: string;
  /** The scope of the reasoning. */
  readonly scope: SignatureScope;
  /** False omits `usage`, as some compatible servers do. */
  readonly withUsage: boolean;
  /** Figures in place of the model's own. */
  readonly usageFields?: Fields | undefined;
}

/** An item of the answer, and the pieces in which it is streamed. */
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
  const tool = callersTools(envelope.request).find((each) => each.name === name);
  const callIds = { call_id: `call_${callId}`, name };
  const namespace = tool?.namespace === undefined ? {} : { namespace: tool.namespace };
  return tool?.type === 'custom'
    ? { id: `ctc_${suffix}`, type: 'custom_tool_call', status, input: text, ...callIds, ...namespace }
    : { id: `fc_${suffix}`, type: 'function_call', status, arguments: text, ...callIds, ...namespace };
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

const usageOf = (usage: ModelUsage, { usageFields }: ResponseEnvelope) => ({
  input_tokens: usage.promptTokens,
  input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: usage.cacheWriteTokens },
  output_tokens: usage.completionTokens,
  output_tokens_details: { reasoning_tokens: usage.thinkingTokens },
  total_tokens: usage.promptTokens + usage.completionTokens,
  ...usageFields,
});

/** The document while the answer is being made. */
export function openDocument(envelope: ResponseEnvelope): Fields {
  const { id, createdAt, request } = envelope;
  return {
    id,
    object: 'response',
    created_at: createdAt,
    status: 'in_progress',
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    model: request.model,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    prompt_cache_retention: request.prompt_cache_retention ?? null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: request.service_tier ?? 'auto',
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: {
      format: request.text?.format ?? { type: 'text' },
      verbosity: request.text?.verbosity ?? 'medium',
    },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    usage: null,
    user: request.user ?? null,
    metadata: request.metadata ?? {},
  };
}

/** The document of the whole answer. */
export function responseDocument(choice: ModelChoice, usage: ModelUsage, envelope: ResponseEnvelope): Fields {
  const isCut = choice.finishReason === 'length';
  return {
    ...openDocument(envelope),
    status: isCut ? 'incomplete' : 'completed',
    completed_at: isCut ? null : Math.floor(Date.now() / 1000),
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: outputItemsOf(choice, envelope).map(({ item }) => item),
    service_tier: envelope.serviceTier,
    usage: envelope.withUsage ? usageOf(usage, envelope) : null,
  };
}
