/** Embeddings: billed by the tokens of the input, answered in the caller's encoding whatever the route's. */
import { ServiceError } from '../../../errors.ts';
import { factorOf } from '../../../ledger/usage-record.ts';
import type { Deliver } from '../../call.ts';
import type { Model } from '../../catalog/catalog-document.ts';
import { boundTextTokens, textsBeside } from '../../metering/estimate.ts';
import { billBasis, measuredCost, priceMeasured } from '../../metering/priced-usage.ts';
import { leastTokens } from '../../metering/token-bound.ts';
import type { Estimate } from '../../quote.ts';
import { type CallKind, forwarded, type KindCall, prepareJson } from '../call-kind.ts';
import { type Embedding, toBase64, toFloats } from './encoding.ts';
import { type EmbeddingRequest, embeddingRequest } from './schema.ts';

/** What a route answers: one embedding for each input, in their order. */
export interface EmbeddingAnswer {
  readonly embeddings: readonly Embedding[];
  /** Undefined when the route does not count. */
  readonly tokens: number | undefined;
}

export const embeddings: CallKind<EmbeddingRequest, EmbeddingAnswer> = {
  kind: 'embeddings',
  schema: embeddingRequest,
  stream: false,
  toPayload(request, model) {
    requireRoom(request, model);
    return forwarded(request);
  },
  estimate,
  prepare,
};

/** Inputs of an embedding call: texts, and arrays of token ids, which need no counting. */
function sizeOf({ input }: EmbeddingRequest): { readonly texts: readonly string[]; readonly ids: number } {
  if (typeof input === 'string') return { texts: [input], ids: 0 };
  const texts = input.filter((item) => typeof item === 'string');
  const ids = input.reduce<number>((sum, item) => sum + (Array.isArray(item) ? item.length : 1), 0);
  return { texts, ids: ids - texts.length };
}

/** Separators that a model puts around an input. */
const TOKENS_PER_INPUT = 2;

/**
 * Throws 400 `prompt_too_long` for an input that is certainly too long for the model. Of any other text, the route
 * decides whether it is; token ids need no counting.
 */
function requireRoom({ input }: EmbeddingRequest, { id, context_window: window }: Model): void {
  if (window === undefined) return;
  const isBatch = Array.isArray(input) && typeof input[0] !== 'number';
  const inputs = (isBatch ? input : [input]) as readonly (string | readonly number[])[];
  const at = inputs.findIndex(
    (item) => (typeof item === 'string' ? leastTokens([item]) : item.length) > window,
  );
  if (at === -1) return;
  const param = isBatch ? `input[${at}]` : 'input';
  throw new ServiceError('prompt_too_long', `${param} counts more than ${id} takes, ${window} tokens.`, {
    param,
  });
}

/** Fields that name a form of the answer, and are no text. */
const SETTINGS: ReadonlySet<string> = new Set([
  'model',
  'input',
  'encoding_format',
  'dimensions',
  'provider',
]);

function estimate(request: EmbeddingRequest, model: Model): Estimate {
  const { texts, ids } = sizeOf(request);
  const all = [...texts, ...textsBeside(SETTINGS, request)];
  const fixed = ids + texts.length * TOKENS_PER_INPUT;
  const tokens = Math.ceil(boundTextTokens(all) * (model.token_factor ?? 1)) + fixed;
  return { tokens, amount: measuredCost(model, { tokens }) };
}

async function prepare(call: KindCall<EmbeddingRequest, EmbeddingAnswer>): Promise<Deliver> {
  const { request, answer, admission, candidate, catalog } = call;
  const { model, route } = candidate;
  const { texts, ids } = sizeOf(request);
  // Of texts that it read, a route counted something.
  const reported = answer.tokens === 0 ? undefined : answer.tokens;
  const counted = reported ?? boundTextTokens(texts) + ids;
  const tokens = Math.min(counted, call.estimate.tokens);
  const priced = priceMeasured(model, { tokens });
  const excess = measuredCost(model, { tokens: counted }) - priced.amount;
  const encode = request.encoding_format === 'base64' ? toBase64 : toFloats;
  const text = JSON.stringify({
    object: 'list',
    model: model.id,
    data: answer.embeddings.map((embedding, index) => ({
      object: 'embedding',
      index,
      embedding: encode(embedding),
    })),
    usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens },
  });
  return prepareJson(call, text, () =>
    admission.settle({
      model: model.id,
      inputUnits: tokens,
      cachedUnits: 0,
      outputUnits: 0,
      unit: 'token',
      cost: priced.amount,
      ...(excess > 0n ? { unbilled: { amount: excess, factor: factorOf(counted / tokens) } } : {}),
      estimated: reported === undefined,
      route: route.id,
      status: 'completed',
      tokens,
      ...billBasis(priced, { cost: priced.amount, catalog, route }),
    }),
  );
}
