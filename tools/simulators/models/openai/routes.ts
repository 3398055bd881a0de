/** The routes of the OpenAI wire format (OpenAI API reference, "Chat completions" and "Models"). */
import {
  jsonResponse,
  type SimulatedCall,
  type SimulatedResponse,
  type SimulatedRoute,
} from '../exchange/reply.ts';
import { readRequest } from '../exchange/request-error.ts';
import { generateOutput } from '../model/answer.ts';
import { identifierFrom } from '../model/random.ts';
import { type CompletionIdentity, chatChunks, chatCompletion } from './chat-answer.ts';
import { toModelRequest } from './chat-question.ts';
import { type ChatRequest, chatRequestSchema } from './chat-request.ts';
import { respondWithEmbeddings } from './embeddings.ts';
import { IMAGES_PATH, respondWithImageFile, respondWithImages } from './images.ts';
import { openAiProtocol } from './protocol.ts';
import { audioProtocol, respondWithSpeech } from './speech.ts';
import { respondWithTranscript } from './transcriptions.ts';

const COMPLETION_ID_LENGTH = 29;

/** The tier as it was asked for; fast and priority are one (OpenAI API reference, `service_tier`). */
function usedTier({ service_tier: tier }: ChatRequest): string {
  if (tier === 'fast') return 'priority';
  return tier === null || tier === undefined || tier === 'auto' ? 'default' : tier;
}

/** Answers a chat completions request. */
export function respondToChat({ body, fault, sequence }: SimulatedCall): SimulatedResponse {
  const request = readRequest(chatRequestSchema, body);
  const modelOutput = generateOutput(toModelRequest(request, fault));
  const identity: CompletionIdentity = {
    id: `chatcmpl-${identifierFrom(`completion ${sequence}`, COMPLETION_ID_LENGTH)}`,
    created: Math.floor(Date.now() / 1000),
    model: request.model,
    service_tier: fault.served_tier ?? usedTier(request),
  };
  const accounting = { withUsage: fault.no_usage !== true, usageFields: fault.usage };
  if (request.stream !== true) return jsonResponse(200, chatCompletion(modelOutput, identity, accounting));
  const withUsage = accounting.withUsage && request.stream_options?.include_usage === true;
  return { kind: 'stream', events: chatChunks(modelOutput, identity, { ...accounting, withUsage }) };
}

/** Names a client can discover; any other name works too. */
const LISTED_MODELS = ['sim-large', 'sim-small', 'sim-small-cached'];
/** A fixed date, so that the list never changes. */
const LISTED = { object: 'model', created: 1_760_000_000, owned_by: 'simulated' };

const respondWithModels = (): SimulatedResponse =>
  jsonResponse(200, { object: 'list', data: LISTED_MODELS.map((id) => ({ id, ...LISTED })) });

const post = { method: 'POST', protocol: openAiProtocol };

export const openAiRoutes: readonly SimulatedRoute[] = [
  { ...post, path: '/v1/chat/completions', reply: respondToChat },
  { ...post, path: '/v1/embeddings', reply: respondWithEmbeddings },
  { ...post, path: '/v1/images/generations', reply: respondWithImages },
  // Whoever has a picture's address may see it.
  {
    method: 'GET',
    path: IMAGES_PATH,
    protocol: { ...openAiProtocol, refusal: () => undefined },
    reply: respondWithImageFile,
  },
  { ...post, path: '/v1/audio/speech', protocol: audioProtocol, reply: respondWithSpeech },
  { ...post, path: '/v1/audio/transcriptions', reply: respondWithTranscript },
  { ...post, method: 'GET', path: '/v1/models', reply: respondWithModels },
];
