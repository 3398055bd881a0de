/** The protocols of each kind of call. The catalog admits only routes of these protocols. */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { ProviderCalls } from '../../core/kinds/call-kind.ts';
import type { EmbeddingOutput } from '../../core/kinds/embeddings/embeddings.ts';
import type { ImageOutput } from '../../core/kinds/images/images.ts';
import type { SpeechOutput } from '../../core/kinds/speech/speech.ts';
import type { TranscriptionPayload } from '../../core/kinds/transcriptions/endpoint.ts';
import type { Transcript } from '../../core/kinds/transcriptions/transcript.ts';
import type { BedrockDependencies } from '../bedrock/provider.ts';
import { embeddingsOfBedrock } from './embeddings/bedrock.ts';
import { embeddingsOfOpenAi } from './embeddings/openai.ts';
import { imagesOfBedrock } from './images/bedrock.ts';
import { type ImageDependencies, imagesOfOpenAi } from './images/openai.ts';
import type { OpenAiHttp } from './openai-http.ts';
import { speechOfOpenAi } from './speech/openai.ts';
import { type PollyDependencies, speechOfPolly } from './speech/polly.ts';
import { transcriptionsOfOpenAi } from './transcriptions/openai.ts';
import { type TranscribeDependencies, transcriptionsOfTranscribe } from './transcriptions/transcribe.ts';

export const createEmbeddingCalls = (
  dependencies: OpenAiHttp & BedrockDependencies,
): ProviderCalls<JsonObject, EmbeddingOutput> => ({
  openai: embeddingsOfOpenAi(dependencies),
  bedrock: embeddingsOfBedrock(dependencies),
});

export const createImageCalls = (
  dependencies: ImageDependencies & BedrockDependencies,
): ProviderCalls<JsonObject, ImageOutput> => ({
  openai: imagesOfOpenAi(dependencies),
  bedrock: imagesOfBedrock(dependencies, dependencies.clock),
});

export const createSpeechCalls = (
  dependencies: OpenAiHttp & PollyDependencies,
): ProviderCalls<JsonObject, SpeechOutput> => ({
  openai: speechOfOpenAi(dependencies),
  polly: speechOfPolly(dependencies),
});

export const createTranscriptionCalls = (
  dependencies: OpenAiHttp & TranscribeDependencies,
): ProviderCalls<TranscriptionPayload, Transcript> => ({
  openai: transcriptionsOfOpenAi(dependencies),
  transcribe: transcriptionsOfTranscribe(dependencies),
});
