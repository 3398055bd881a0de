/** Embeddings of a server of the OpenAI protocol (OpenAI API reference, Create embeddings). */

import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { ProviderCall } from '../../../core/kinds/call-kind.ts';
import {
  type Embedding,
  type EmbeddingOutput,
  isEmbedding,
} from '../../../core/kinds/embeddings/embeddings.ts';
import { isTokenCount } from '../../../core/pricing/token-usage.ts';
import { UpstreamFailure } from '../../../core/upstream/provider.ts';
import { embeddingBytes } from '../../response-bytes.ts';
import { type OpenAiHttp, requestJson } from '../openai-http.ts';

export function embeddingsOfOpenAi(http: OpenAiHttp): ProviderCall<JsonObject, EmbeddingOutput> {
  return async ({ route, payload, clock: { signal }, traceparent }) => {
    const body = { ...payload, model: route.upstream_model };
    const maxBytes = embeddingBytes(inputsOf(payload), payload.dimensions);
    const response = await requestJson(http, {
      route,
      path: '/embeddings',
      body,
      signal,
      traceparent,
      maxBytes,
    });
    return { embeddings: toEmbeddings(response.data, inputsOf(payload)), tokens: toTokens(response.usage) };
  };
}

/** An array of token ids is one input, as a text is. */
function inputsOf({ input }: JsonObject): number {
  return Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
}

/** Returns the embeddings in the order of the inputs, independent of the order in the response. */
function toEmbeddings(data: unknown, inputs: number): readonly Embedding[] {
  const embeddings: Embedding[] = [];
  for (const [position, entry] of (Array.isArray(data) ? data : []).entries()) {
    const { index = position, embedding } = (entry ?? {}) as { index?: unknown; embedding?: unknown };
    if (!isTokenCount(index) || index >= inputs || !isEmbedding(embedding))
      throw new UpstreamFailure('protocol');
    embeddings[index] = embedding;
  }
  if (embeddings.filter((embedding) => embedding !== undefined).length !== inputs)
    throw new UpstreamFailure('protocol');
  return embeddings;
}

function toTokens(usage: unknown): number | undefined {
  const { prompt_tokens: prompt, total_tokens: total } = (usage ?? {}) as Readonly<Record<string, unknown>>;
  return [prompt, total].find(isTokenCount);
}
