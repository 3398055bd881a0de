/** Embeddings: billed by the tokens of the input, and returned in the caller's encoding, independent of the route's. */

import * as z from 'zod';
import { factorOf } from '../../../../ledger/core/usage-record.ts';
import { ServiceError } from '../../../../platform/core/errors.ts';
import type { Deliver } from '../../call.ts';
import type { Model } from '../../catalog/catalog-document.ts';
import { fieldTable } from '../../fields/table.ts';
import { boundTextTokens, stringifyOtherFields } from '../../metering/estimate.ts';
import { measuredCost } from '../../metering/priced-usage.ts';
import { tokenLowerBound } from '../../metering/token-bound.ts';
import { prepareJson } from '../../paid-endpoint.ts';
import type { Estimate } from '../../quote.ts';
import { reference, routeControlFields } from '../../routing/route-controls.ts';
import { isBase64 } from '../../upstream/sources.ts';
import { type CallKind, forwarded, type KindResponse, measuredOutcome } from '../call-kind.ts';

/** OpenAI API reference, Create embeddings: the most inputs of one request. */
const MAX_INPUTS = 2048;

const text = z.string().min(1);
const tokens = z.array(z.int().min(0)).min(1);
const batch = <T extends z.ZodType>(input: T) => z.array(input).min(1).max(MAX_INPUTS);

export const embeddingRequest = z.looseObject({
  model: reference.nullish(),
  input: z.union(
    [text, batch(text), tokens, batch(tokens)],
    `must be a text, an array of token ids, or an array of 1 to ${MAX_INPUTS} of either; none of them empty`,
  ),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(65_536).nullish(),
  user: z.string().nullish(),
  provider: routeControlFields.provider,
});

/** OpenAI API reference, Create embeddings, as in the package `openai` 7.55.0. */
const EMBEDDING_FIELDS = fieldTable([
  { at: '{input,dimensions,encoding_format}', isConverted: true },
  { at: 'user' },
]);

export type EmbeddingRequest = z.infer<typeof embeddingRequest>;

/** The response of a route: one embedding for each input, in their order. */
export interface EmbeddingOutput {
  readonly embeddings: readonly Embedding[];
  /** Undefined when the route does not count. */
  readonly tokens: number | undefined;
}

export const embeddings: CallKind<EmbeddingRequest, EmbeddingOutput> = {
  kind: 'embeddings',
  schema: embeddingRequest,
  fields: EMBEDDING_FIELDS,
  stream: false,
  toPayload(request, model) {
    requireInputsFit(request, model);
    return forwarded(request);
  },
  estimate,
  prepare,
};

/** Inputs of an embedding call: texts, and arrays of token ids, which need no counting. */
function sizeOf({ input }: EmbeddingRequest): { readonly strings: readonly string[]; readonly ids: number } {
  if (typeof input === 'string') return { strings: [input], ids: 0 };
  const strings = input.filter((item) => typeof item === 'string');
  const ids = input.reduce<number>((sum, item) => sum + (Array.isArray(item) ? item.length : 1), 0);
  return { strings, ids: ids - strings.length };
}

/** Separators that a model puts around an input. */
const TOKENS_PER_INPUT = 2;

/**
 * Throws 400 `prompt_too_long` for an input that is certainly too long for the model. Of any other text, the route
 * decides whether it is; token ids need no counting.
 */
function requireInputsFit({ input }: EmbeddingRequest, { id, context_window: window }: Model): void {
  if (window === undefined) return;
  const isBatch = Array.isArray(input) && typeof input[0] !== 'number';
  const inputs = (isBatch ? input : [input]) as readonly (string | readonly number[])[];
  const at = inputs.findIndex(
    (item) => (typeof item === 'string' ? tokenLowerBound([item]) : item.length) > window,
  );
  if (at === -1) return;
  const param = isBatch ? `input[${at}]` : 'input';
  throw new ServiceError('prompt_too_long', `${param} counts more than ${id} takes, ${window} tokens.`, {
    param,
  });
}

/** Fields that select a form of the response and contain no text. */
const SETTINGS: ReadonlySet<string> = new Set([
  'model',
  'input',
  'encoding_format',
  'dimensions',
  'provider',
]);

function estimate(request: EmbeddingRequest, model: Model): Estimate {
  const { strings, ids } = sizeOf(request);
  const all = [...strings, ...stringifyOtherFields(SETTINGS, request)];
  const fixed = ids + strings.length * TOKENS_PER_INPUT;
  const tokens = Math.ceil(boundTextTokens(all) * (model.token_factor ?? 1)) + fixed;
  return { tokens, amount: measuredCost(model, { tokens }) };
}

async function prepare(call: KindResponse<EmbeddingRequest, EmbeddingOutput>): Promise<Deliver> {
  const { request, output, admission } = call;
  const { model } = call.candidate;
  const { strings, ids } = sizeOf(request);
  // Of texts that it read, a route counted something.
  const reported = output.tokens === 0 ? undefined : output.tokens;
  const counted = reported ?? boundTextTokens(strings) + ids;
  const tokens = Math.min(counted, call.estimate.tokens);
  const excess = measuredCost(model, { tokens: counted }) - measuredCost(model, { tokens });
  const encode = request.encoding_format === 'base64' ? toBase64 : toFloats;
  const text = JSON.stringify({
    object: 'list',
    model: model.id,
    data: output.embeddings.map((embedding, index) => ({
      object: 'embedding',
      index,
      embedding: encode(embedding),
    })),
    usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens },
  });
  return prepareJson(call, { text, headers: call.headers }, () =>
    admission.settle(
      measuredOutcome(
        call,
        { tokens },
        {
          inputUnits: tokens,
          tokens,
          unit: 'token',
          estimated: reported === undefined,
          ...(excess > 0n ? { excess: { amount: excess, factor: factorOf(counted / tokens) } } : {}),
        },
      ),
    ),
  );
}

/** The two encodings of an embedding: numbers, or base64 of little-endian 32-bit floats (OpenAI API reference). */
export type Embedding = readonly number[] | string;

const BYTES_PER_FLOAT = 4;

export function toBase64(embedding: Embedding): string {
  if (typeof embedding === 'string') return embedding;
  const bytes = Buffer.alloc(embedding.length * BYTES_PER_FLOAT);
  embedding.forEach((value, index) => {
    bytes.writeFloatLE(value, index * BYTES_PER_FLOAT);
  });
  return bytes.toString('base64');
}

export function toFloats(embedding: Embedding): readonly number[] {
  if (typeof embedding !== 'string') return embedding;
  const bytes = Buffer.from(embedding, 'base64');
  return Array.from({ length: bytes.length / BYTES_PER_FLOAT }, (_, index) =>
    bytes.readFloatLE(index * BYTES_PER_FLOAT),
  );
}

/**
 * Returns whether a route's value is an embedding in either encoding: one or more numbers that 32-bit floats can hold.
 */
export function isEmbedding(value: unknown): value is Embedding {
  if (typeof value !== 'string')
    return Array.isArray(value) && value.length > 0 && value.every((number) => isFloat(number));
  if (value.length % 4 !== 0 || !isBase64(value)) return false;
  return Buffer.from(value, 'base64').length % BYTES_PER_FLOAT === 0 && toFloats(value).every(isFloat);
}

const isFloat = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(Math.fround(value));
