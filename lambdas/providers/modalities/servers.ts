/** Which protocols serve which kind of call; the catalog admits routes of no other. */
import type { EmbeddingAnswer } from '../../core/inference/embeddings/modality.ts';
import type { ImageAnswer } from '../../core/inference/images/modality.ts';
import type { Servers } from '../../core/inference/modality.ts';
import type { JsonObject } from '../../core/inference/provider.ts';
import type { SpeechAnswer } from '../../core/inference/speech/modality.ts';
import type { TranscriptionPayload } from '../../core/inference/transcriptions/endpoint.ts';
import type { Transcript } from '../../core/inference/transcriptions/transcript.ts';
import type { Clock } from '../../core/ports.ts';
import { embeddingsOfOpenAi } from './embeddings/openai.ts';
import { imagesOfOpenAi } from './images/openai.ts';
import type { OpenAiHttp } from './openai-http.ts';
import { speechOfOpenAi } from './speech/openai.ts';
import { transcriptionsOfOpenAi } from './transcriptions/openai.ts';

export const createEmbeddingServers = (http: OpenAiHttp): Servers<JsonObject, EmbeddingAnswer> => ({
  openai: embeddingsOfOpenAi(http),
});

export const createImageServers = (
  http: OpenAiHttp & { readonly clock: Clock },
): Servers<JsonObject, ImageAnswer> => ({ openai: imagesOfOpenAi(http, http.clock) });

export const createSpeechServers = (http: OpenAiHttp): Servers<JsonObject, SpeechAnswer> => ({
  openai: speechOfOpenAi(http),
});

export const createTranscriptionServers = (http: OpenAiHttp): Servers<TranscriptionPayload, Transcript> => ({
  openai: transcriptionsOfOpenAi(http),
});
