/** The routes of the OpenAI wire format (OpenAI API reference, "Chat completions" and "Models"). */
import {
  jsonReply,
  type SimulatedCall,
  type SimulatedReply,
  type SimulatedRoute,
} from '../exchange/reply.ts';
import { readRequest } from '../exchange/request-error.ts';
import { answer } from '../model/answer.ts';
import { identifierFrom } from '../model/random.ts';
import { type CompletionIdentity, chatChunks, chatCompletion } from './chat-answer.ts';
import { toModelRequest } from './chat-question.ts';
import { type ChatRequest, chatRequestSchema } from './chat-request.ts';
import { replyWithEmbeddings } from './embeddings.ts';
import { PICTURES_PATH, replyWithImages, replyWithPicture } from './images.ts';
import { openAiProtocol } from './protocol.ts';
import { audioProtocol, replyWithSpeech } from './speech.ts';
import { replyWithTranscript } from './transcriptions.ts';

const COMPLETION_ID_LENGTH = 29;

/** The tier as it was asked for; fast and priority are one (OpenAI API reference, `service_tier`). */
function servedTier({ service_tier: tier }: ChatRequest): string {
  if (tier === 'fast') return 'priority';
  return tier === null || tier === undefined || tier === 'auto' ? 'default' : tier;
}

/** Answers a chat completions request. */
export function replyToChat({ body, fault, sequence }: SimulatedCall): SimulatedReply {
  const request = readRequest(chatRequestSchema, body);
  const modelAnswer = answer(toModelRequest(request, fault));
  const identity: CompletionIdentity = {
    id: `chatcmpl-${identifierFrom(`completion ${sequence}`, COMPLETION_ID_LENGTH)}`,
    created: Math.floor(Date.now() / 1000),
    model: request.model,
    service_tier: fault.served_tier ?? servedTier(request),
  };
  const accounting = { withUsage: fault.no_usage !== true, figures: fault.usage };
  if (request.stream !== true) return jsonReply(200, chatCompletion(modelAnswer, identity, accounting));
  const withUsage = accounting.withUsage && request.stream_options?.include_usage === true;
  return { kind: 'stream', events: chatChunks(modelAnswer, identity, { ...accounting, withUsage }) };
}

/** Names a client can discover; any other name works too. */
const LISTED_MODELS = ['sim-large', 'sim-small', 'sim-small-cached'];
/** A fixed date, so that the list never changes. */
const LISTED = { object: 'model', created: 1_760_000_000, owned_by: 'simulated' };

const replyWithModels = (): SimulatedReply =>
  jsonReply(200, { object: 'list', data: LISTED_MODELS.map((id) => ({ id, ...LISTED })) });

const post = { method: 'POST', protocol: openAiProtocol };

export const openAiRoutes: readonly SimulatedRoute[] = [
  { ...post, path: '/v1/chat/completions', reply: replyToChat },
  { ...post, path: '/v1/embeddings', reply: replyWithEmbeddings },
  { ...post, path: '/v1/images/generations', reply: replyWithImages },
  // Whoever has a picture's address may see it.
  {
    method: 'GET',
    path: PICTURES_PATH,
    protocol: { ...openAiProtocol, refusal: () => undefined },
    reply: replyWithPicture,
  },
  { ...post, path: '/v1/audio/speech', protocol: audioProtocol, reply: replyWithSpeech },
  { ...post, path: '/v1/audio/transcriptions', reply: replyWithTranscript },
  { ...post, method: 'GET', path: '/v1/models', reply: replyWithModels },
];
