/**
 * `POST /model/{modelId}/invoke`: the body is each model family's own (Amazon Bedrock user guide, "Amazon Titan
 * Embeddings Text" and "Cohere Embed"; Amazon Nova user guide, "Image generation access and usage").
 */
import { z } from 'zod';
import { type Call, jsonReply, type Reply } from '../exchange/reply.ts';
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

const side = z.int().min(320).max(4096).multipleOf(16);
const canvasRequest = z.strictObject({
  taskType: z.literal('TEXT_IMAGE'),
  textToImageParams: z.strictObject({ text: z.string().min(1).max(1024) }),
  imageGenerationConfig: z.strictObject({
    numberOfImages: z.int().min(1).max(5).default(1),
    width: side,
    height: side,
    quality: z.enum(['standard', 'premium']).optional(),
  }),
});

/** A model's own document, and what Bedrock counts for it. */
interface Invoked {
  readonly document: unknown;
  readonly tokens?: number;
}

function titan({ inputText, dimensions }: z.infer<typeof titanRequest>): Invoked {
  const embedding = [...embed(JSON.stringify(inputText), dimensions)];
  const tokens = countTokens(inputText);
  return {
    document: { embedding, embeddingsByType: { float: embedding }, inputTextTokenCount: tokens },
    tokens,
  };
}

/** Without types it answers a plain list, with them one list a type. */
function cohere(request: z.infer<typeof cohereRequest>): Invoked {
  const { texts, embedding_types: types, output_dimension: dimensions } = request;
  const vectors = texts.map((text) => [...embed(JSON.stringify(text), dimensions)]);
  const embeddings = types === undefined ? vectors : { float: vectors };
  const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
  const type = types === undefined ? 'embeddings_floats' : 'embeddings_by_type';
  return { document: { id: 'sim', response_type: type, texts, embeddings }, tokens };
}

function canvas(request: z.infer<typeof canvasRequest>): Invoked {
  const { textToImageParams: parameters, imageGenerationConfig: config } = request;
  const { numberOfImages, width, height } = config;
  const images = Array.from({ length: numberOfImages }, (_, index) =>
    paint(`canvas ${index} ${parameters.text}`, width, height).toString('base64'),
  );
  return { document: { images } };
}

/** How a family reads a body. Throws `RequestError` for a body that it refuses. */
type Family = (body: unknown) => Invoked;

const family =
  <Schema extends z.ZodType>(schema: Schema, make: (request: z.infer<Schema>) => Invoked): Family =>
  (body) =>
    make(readRequest(schema, body));

const FAMILIES: readonly (readonly [RegExp, Family])[] = [
  [/titan-embed-text-v2/u, family(titanRequest, titan)],
  [/cohere\.embed-/u, family(cohereRequest, cohere)],
  [/nova-canvas/u, family(canvasRequest, canvas)],
];

export function replyToInvoke({ parameters, body, fault }: Call): Reply {
  const [, read] = FAMILIES.find(([pattern]) => pattern.test(parameters.modelId ?? '')) ?? [];
  if (read === undefined) throw new RequestError('The provided model identifier is invalid.');
  const { document, tokens } = read(body);
  const counted = tokens !== undefined && fault.no_usage !== true;
  return jsonReply(200, document, counted ? { 'x-amzn-bedrock-input-token-count': String(tokens) } : {});
}
