/** Which protocols serve which kind of call; the catalog's `PROTOCOLS_OF_TYPE` admits routes of no other. */
import type { EmbeddingAnswer } from '../../core/inference/embeddings/modality.ts';
import type { Servers } from '../../core/inference/modality.ts';
import type { JsonObject } from '../../core/inference/provider.ts';
import { embeddingsOfOpenAi } from './embeddings/openai.ts';
import type { OpenAiHttp } from './openai-http.ts';

export const createEmbeddingServers = (http: OpenAiHttp): Servers<JsonObject, EmbeddingAnswer> => ({
  openai: embeddingsOfOpenAi(http),
});
