/** `POST /v1/embeddings` (OpenAI API reference, "Create embeddings"). */
import { z } from 'zod';
import { jsonResponse, type SimulatedCall, usageField } from '../exchange/reply.ts';
import { readRequest } from '../exchange/request-error.ts';
import { countTokens } from '../model/tokens.ts';
import { DEFAULT_DIMENSIONS, embed } from '../model/vector.ts';

const MAX_INPUTS = 2048;
const MAX_DIMENSIONS = 3072;

const text = z.string().min(1);
const tokens = z.array(z.int().min(0)).min(1);
const input = z.union([
  text,
  z.array(text).min(1).max(MAX_INPUTS),
  tokens,
  z.array(tokens).min(1).max(MAX_INPUTS),
]);

const embeddingRequestSchema = z.looseObject({
  model: z.string().min(1),
  input,
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(MAX_DIMENSIONS).nullish(),
});

type Input = string | number[];

/** A text or an array of token ids is one input, an array of either is many. */
function inputsOf(value: z.infer<typeof input>): readonly Input[] {
  if (typeof value === 'string') return [value];
  return typeof value[0] === 'number' ? [value as number[]] : (value as Input[]);
}

const tokensOf = (value: Input) => (typeof value === 'string' ? countTokens(value) : value.length);

export function respondWithEmbeddings({ body, fault }: SimulatedCall) {
  const request = readRequest(embeddingRequestSchema, body);
  const { model, dimensions, encoding_format: format } = request;
  const inputs = inputsOf(request.input);
  const data = inputs.map((value, index) => {
    const vector = embed(JSON.stringify(value), dimensions ?? DEFAULT_DIMENSIONS);
    const embedding = format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector];
    return { object: 'embedding', index, embedding };
  });
  const promptTokens = inputs.reduce((sum, value) => sum + tokensOf(value), 0);
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
  return jsonResponse(200, { object: 'list', data, model, ...usageField('usage', usage, fault) });
}
