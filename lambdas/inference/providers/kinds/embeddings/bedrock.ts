/**
 * Embeddings of the models of Amazon Bedrock: Amazon Titan, which takes one text a call, and Cohere, which takes 96
 * (Amazon Bedrock user guide, "Amazon Titan Embeddings G1 - Text" and "Cohere Embed").
 */

import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { Model } from '../../../core/catalog/catalog-document.ts';
import type { ProviderAttempt, ProviderCall } from '../../../core/kinds/call-kind.ts';
import {
  type Embedding,
  type EmbeddingOutput,
  isEmbedding,
} from '../../../core/kinds/embeddings/embeddings.ts';
import { boundTokens } from '../../../core/metering/token-bound.ts';
import { isTokenCount } from '../../../core/pricing/token-usage.ts';
import { UpstreamFailure } from '../../../core/upstream/provider.ts';
import type { BedrockDependencies } from '../../bedrock/provider.ts';
import { embeddingBytes } from '../../response-bytes.ts';
import { type InvokeResult, invoke } from '../bedrock-invoke.ts';

/** A family of models: the request for a batch of texts and the vectors in its response. */
interface Family {
  /** Texts a call. */
  readonly batchSize: number;
  request(strings: readonly string[], dimensions: unknown): JsonObject;
  vectors(response: InvokeResult['response']): readonly unknown[];
}

const TITAN: Family = {
  batchSize: 1,
  request: ([text], dimensions) => ({ inputText: text, ...(dimensions === undefined ? {} : { dimensions }) }),
  vectors: ({ embedding }) => [embedding],
};

const COHERE: Family = {
  batchSize: 96,
  request: (strings, dimensions) => ({
    texts: strings,
    // The interface has no field for the purpose of the vectors. Any query can match a document.
    input_type: 'search_document',
    embedding_types: ['float'],
    ...(dimensions === undefined ? {} : { output_dimension: dimensions }),
  }),
  vectors: ({ embeddings }) => {
    const { float } = Object(embeddings) as { readonly float?: unknown };
    return Array.isArray(float) ? float : [];
  },
};

/** Calls of one batch at once: enough to make 2048 texts a matter of seconds, and no more than Bedrock's default quota. */
const CALLS_AT_ONCE = 16;

export const embeddingsOfBedrock =
  (bedrock: BedrockDependencies): ProviderCall<JsonObject, EmbeddingOutput> =>
  async (attempt) => {
    const family = attempt.route.upstream_model.includes('cohere.') ? COHERE : TITAN;
    const strings = stringsOf(attempt.payload);
    if (strings.length > family.batchSize) requireEachFits(strings, attempt.model);
    const batches = batchesOf(strings, family.batchSize);
    const results: EmbeddingOutput[] = [];
    for (let at = 0; at < batches.length; at += CALLS_AT_ONCE) {
      const round = batches.slice(at, at + CALLS_AT_ONCE);
      results.push(
        ...(await Promise.all(round.map((batch) => embed(bedrock, family, { attempt, strings: batch })))),
      );
    }
    return {
      embeddings: results.flatMap(({ embeddings }) => embeddings),
      tokens: results.reduce<number | undefined>(
        (sum, { tokens }) => (sum === undefined || tokens === undefined ? undefined : sum + tokens),
        0,
      ),
    };
  };

/** Token ids are a model's own, and Bedrock's models take none: a caller's mistake, and no other route's concern. */
function stringsOf({ input }: JsonObject): readonly string[] {
  const inputs: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (inputs.every((item) => typeof item === 'string')) return inputs;
  throw new UpstreamFailure('status', { status: 400, retryable: false, param: 'input' });
}

/**
 * Requires that each text certainly fits. A batch takes several calls, and if one fails because of a long text, Bedrock
 * has charged for the others. Throws a rejection with status 400.
 */
function requireEachFits(
  strings: readonly string[],
  { context_window: window = Number.POSITIVE_INFINITY }: Model,
) {
  const at = strings.findIndex((text) => boundTokens(text) > window);
  if (at === -1) return;
  const reason = `it may have more than the ${window} tokens that the model takes. Send it in a request of its own.`;
  const details = { status: 400, retryable: false, param: `input[${at}]`, rejection: { reason } };
  throw new UpstreamFailure('status', details);
}

const batchesOf = (strings: readonly string[], size: number): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(strings.length / size) }, (_, at) =>
    strings.slice(at * size, (at + 1) * size),
  );

async function embed(
  bedrock: BedrockDependencies,
  family: Family,
  batch: { readonly attempt: ProviderAttempt<JsonObject>; readonly strings: readonly string[] },
): Promise<EmbeddingOutput> {
  const { attempt, strings } = batch;
  const { route, payload, clock } = attempt;
  const body = family.request(strings, payload.dimensions);
  const maxBytes = embeddingBytes(strings.length, payload.dimensions);
  const { response, tokens } = await invoke(bedrock, { route, body, signal: clock.signal, maxBytes });
  const vectors = family.vectors(response);
  if (vectors.length !== strings.length || !vectors.every(isVector)) throw new UpstreamFailure('protocol');
  const { inputTextTokenCount: counted } = response;
  return { embeddings: vectors, tokens: isTokenCount(counted) ? counted : tokens };
}

const isVector = (value: unknown): value is Embedding => Array.isArray(value) && isEmbedding(value);
