/**
 * `POST /model/{modelId}/invoke`: the body is each model family's own (Amazon Bedrock user guide, "Amazon Titan
 * Embeddings Text", "Cohere Embed" and "Stable Image Core request and response").
 */
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { jsonResponse, type SimulatedCall } from '../exchange/reply.ts';
import { RequestError, readRequest } from '../exchange/request-error.ts';
import { paint } from '../model/picture.ts';
import { countTokens } from '../model/tokens.ts';
import { embed } from '../model/vector.ts';

const titanRequest = z.strictObject({
  inputText: z.string().min(1).max(50_000),
  dimensions: z.literal([256, 512, 1024]).default(1024),
  normalize: z.boolean().optional(),
  embeddingTypes: z.array(z.enum(['float', 'binary'])).optional(),
});

const cohereRequest = z.strictObject({
  texts: z.array(z.string().min(1)).min(1).max(96),
  input_type: z.enum(['search_document', 'search_query', 'classification', 'clustering']),
  truncate: z.enum(['NONE', 'START', 'END']).optional(),
  embedding_types: z.array(z.enum(['float', 'int8', 'uint8', 'binary', 'ubinary'])).optional(),
  output_dimension: z.literal([256, 512, 1024, 1536]).default(1024),
});

/** Pixels of each ratio: about a million (Stability AI, model card of Stable Diffusion 3.5 Large). */
const PIXELS = {
  '1:1': [1024, 1024],
  '16:9': [1344, 768],
  '21:9': [1536, 640],
  '2:3': [832, 1216],
  '3:2': [1216, 832],
  '4:5': [896, 1088],
  '5:4': [1088, 896],
  '9:16': [768, 1344],
  '9:21': [640, 1536],
} as const;

const stabilityRequest = z.strictObject({
  prompt: z.string().min(1).max(10_000),
  aspect_ratio: z.enum(Object.keys(PIXELS) as (keyof typeof PIXELS)[]).default('1:1'),
  output_format: z.enum(['png', 'jpeg']).optional(),
  seed: z.int().min(0).max(4_294_967_295).default(0),
  negative_prompt: z.string().max(10_000).optional(),
});

/** A model's own document, and what Bedrock counts for it. */
interface Invocation {
  readonly document: unknown;
  readonly tokens?: number;
}

function titan({ inputText, dimensions }: z.infer<typeof titanRequest>): Invocation {
  const embedding = [...embed(JSON.stringify(inputText), dimensions)];
  const tokens = countTokens(inputText);
  return {
    document: { embedding, embeddingsByType: { float: embedding }, inputTextTokenCount: tokens },
    tokens,
  };
}

/** Without types it answers a plain list, with them one list a type. */
function cohere(request: z.infer<typeof cohereRequest>): Invocation {
  const { texts, embedding_types: types, output_dimension: dimensions } = request;
  const vectors = texts.map((text) => [...embed(JSON.stringify(text), dimensions)]);
  const embeddings = types === undefined ? vectors : { float: vectors };
  const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
  const type = types === undefined ? 'embeddings_floats' : 'embeddings_by_type';
  return { document: { id: 'sim', response_type: type, texts, embeddings }, tokens };
}

/** One image a call; without a seed of the request's own, or with 0, it is another each time. */
function stability({
  prompt,
  aspect_ratio: ratio,
  seed: requestedSeed,
}: z.infer<typeof stabilityRequest>): Invocation {
  const seed = requestedSeed === 0 ? randomInt(1, 4_294_967_295) : requestedSeed;
  const [width, height] = PIXELS[ratio];
  const image = paint(`stability ${seed} ${prompt}`, width, height).toString('base64');
  return { document: { seeds: [seed], finish_reasons: [null], images: [image] } };
}

type Family = (body: unknown) => Invocation;

const family =
  <Schema extends z.ZodType>(schema: Schema, make: (request: z.infer<Schema>) => Invocation): Family =>
  (body) =>
    make(readRequest(schema, body));

const FAMILIES: readonly (readonly [RegExp, Family])[] = [
  [/titan-embed-text-v2/u, family(titanRequest, titan)],
  [/cohere\.embed-/u, family(cohereRequest, cohere)],
  [/stability\.(stable-image-(core|ultra)|sd3-5-large)-/u, family(stabilityRequest, stability)],
];

export function respondToInvoke({ parameters, body, fault }: SimulatedCall) {
  const [, read] = FAMILIES.find(([pattern]) => pattern.test(parameters.modelId ?? '')) ?? [];
  if (read === undefined) throw new RequestError('The provided model identifier is invalid.');
  const { document, tokens } = read(body);
  const counted = tokens !== undefined && fault.no_usage !== true;
  return jsonResponse(200, document, counted ? { 'x-amzn-bedrock-input-token-count': String(tokens) } : {});
}
