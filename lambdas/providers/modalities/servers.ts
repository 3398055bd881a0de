/** Which protocols serve which kind of call; the catalog admits routes of no other. */

import type { Servers } from '../../core/inference/kinds/call-kind.ts';
import type { EmbeddingAnswer } from '../../core/inference/kinds/embeddings/modality.ts';
import type { ImageAnswer } from '../../core/inference/kinds/images/modality.ts';
import type { SpeechAnswer } from '../../core/inference/kinds/speech/modality.ts';
import type { TranscriptionPayload } from '../../core/inference/kinds/transcriptions/endpoint.ts';
import type { Transcript } from '../../core/inference/kinds/transcriptions/transcript.ts';
import type { JsonObject } from '../../core/json/lossless-json.ts';
import type { Clock } from '../../core/ports.ts';
import type { BedrockDependencies } from '../bedrock/provider.ts';
import { embeddingsOfBedrock } from './embeddings/bedrock.ts';
import { embeddingsOfOpenAi } from './embeddings/openai.ts';
import { imagesOfBedrock } from './images/bedrock.ts';
import { imagesOfOpenAi } from './images/openai.ts';
import type { OpenAiHttp } from './openai-http.ts';
import { speechOfOpenAi } from './speech/openai.ts';
import { transcriptionsOfOpenAi } from './transcriptions/openai.ts';

export const createEmbeddingServers = (
  dependencies: OpenAiHttp & BedrockDependencies,
): Servers<JsonObject, EmbeddingAnswer> => ({
  openai: embeddingsOfOpenAi(dependencies),
  bedrock: embeddingsOfBedrock(dependencies),
});

export const createImageServers = (
  dependencies: OpenAiHttp & BedrockDependencies & { readonly clock: Clock },
): Servers<JsonObject, ImageAnswer> => ({
  openai: imagesOfOpenAi(dependencies, dependencies.clock),
  bedrock: imagesOfBedrock(dependencies, dependencies.clock),
});

export const createSpeechServers = (http: OpenAiHttp): Servers<JsonObject, SpeechAnswer> => ({
  openai: speechOfOpenAi(http),
});

export const createTranscriptionServers = (http: OpenAiHttp): Servers<TranscriptionPayload, Transcript> => ({
  openai: transcriptionsOfOpenAi(http),
});
