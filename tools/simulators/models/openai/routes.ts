/** The routes of the OpenAI wire format (OpenAI API reference, "Chat completions"). */
import { answerAs, postRoute, type SimulatedCall, type SimulatedRoute } from '../exchange/reply.ts';
import { readRequest } from '../exchange/request-error.ts';
import { generateOutput } from '../model/answer.ts';
import { identifierFrom } from '../model/random.ts';
import { type CompletionIdentity, chatChunks, chatCompletion } from './chat-answer.ts';
import { toModelRequest } from './chat-question.ts';
import { chatRequestSchema } from './chat-request.ts';
import { respondWithEmbeddings } from './embeddings.ts';
import { IMAGES_PATH, respondWithImageFile, respondWithImages } from './images.ts';
import { openAiProtocol, openProtocol, usedTier } from './protocol.ts';
import { audioProtocol, respondWithSpeech } from './speech.ts';
import { respondWithTranscript } from './transcriptions.ts';

const COMPLETION_ID_LENGTH = 29;

export function respondToChat({ body, fault, sequence }: SimulatedCall) {
  const request = readRequest(chatRequestSchema, body);
  const { model, stream, stream_options: options } = request;
  const output = generateOutput({ ...toModelRequest(request), refuses: fault.refusal });
  const identity: CompletionIdentity = {
    id: `chatcmpl-${identifierFrom(`completion ${sequence}`, COMPLETION_ID_LENGTH)}`,
    created: Math.floor(Date.now() / 1000),
    model,
    service_tier: fault.served_tier ?? usedTier(request),
  };
  const counted = options?.include_usage === true ? fault : { ...fault, no_usage: true };
  return answerAs(
    stream,
    () => chatCompletion(output, identity, fault),
    () => chatChunks(output, identity, counted),
  );
}

export const openAiRoutes: readonly SimulatedRoute[] = [
  postRoute(openAiProtocol, '/v1/chat/completions', respondToChat),
  postRoute(openAiProtocol, '/v1/embeddings', respondWithEmbeddings),
  postRoute(openAiProtocol, '/v1/images/generations', respondWithImages),
  // Whoever has a picture's address may see it.
  { ...postRoute(openProtocol, IMAGES_PATH, respondWithImageFile), method: 'GET' },
  postRoute(audioProtocol, '/v1/audio/speech', respondWithSpeech),
  postRoute(openAiProtocol, '/v1/audio/transcriptions', respondWithTranscript),
];
