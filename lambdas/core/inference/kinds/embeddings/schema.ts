/** EmbeddingRequest (interface, Resources) with OpenAI's token arrays and `dimensions`; other fields are forwarded. */
import * as z from 'zod';
import { reference, routeControlFields } from '../../routing/route-controls.ts';

/** OpenAI API reference, Create embeddings: the most inputs of one request. */
export const MAX_INPUTS = 2048;

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

export type EmbeddingRequest = z.infer<typeof embeddingRequest>;
