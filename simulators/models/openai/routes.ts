/** The routes of the OpenAI wire format (OpenAI API reference, "Chat completions" and "Models"). */

import { type Call, jsonReply, modelInBody, type Reply, type Route } from '../exchange/reply.ts';
import { answer } from '../model/answer.ts';
import { identifierFrom } from '../model/random.ts';
import { type CompletionIdentity, chatCompletion } from './answer-document.ts';
import { chatChunks } from './answer-stream.ts';
import { replyWithEmbeddings } from './embeddings.ts';
import { PICTURES_PATH, replyWithImages, replyWithPicture } from './images.ts';
import { errorReply, NOT_JSON, openAiProtocol } from './protocol.ts';
import { chatRequestSchema } from './request.ts';
import { brokenRule } from './request-rules.ts';
import { audioProtocol, replyWithSpeech } from './speech.ts';
import { toModelRequest } from './to-model-request.ts';
import { replyWithTranscript } from './transcriptions.ts';
import { validationError } from './validation-error.ts';

const COMPLETION_ID_LENGTH = 29;

/** Answers a chat completions request. */
export function replyToChat({ body, fault, sequence }: Call): Reply {
  if (body === undefined) return errorReply(400, { message: NOT_JSON });
  const parsed = chatRequestSchema.safeParse(body);
  if (!parsed.success) return errorReply(400, validationError(parsed.error, body));
  const request = parsed.data;
  const broken = brokenRule(request);
  if (broken !== undefined) return errorReply(400, broken);
  const identity: CompletionIdentity = {
    id: `chatcmpl-${identifierFrom(`completion ${sequence}`, COMPLETION_ID_LENGTH)}`,
    created: Math.floor(Date.now() / 1000),
    model: request.model,
  };
  const modelAnswer = answer(toModelRequest(request, fault));
  const withUsage = fault.no_usage !== true;
  if (request.stream !== true) return jsonReply(200, chatCompletion(modelAnswer, identity, withUsage));
  const includeUsage = withUsage && request.stream_options?.include_usage === true;
  const settings = { includeUsage, interleaveToolCalls: fault.interleave_tool_calls === true };
  return { kind: 'stream', events: chatChunks(modelAnswer, identity, settings) };
}

/** Names a client can discover; any other name works too. */
const LISTED_MODELS = ['sim-large', 'sim-small', 'sim-small-cached'];
/** A fixed date, so that the list never changes. */
const LISTED_CREATED = 1_760_000_000;

function replyWithModels(): Reply {
  const data = LISTED_MODELS.map((id) => ({
    id,
    object: 'model',
    created: LISTED_CREATED,
    owned_by: 'simulated',
  }));
  return jsonReply(200, { object: 'list', data });
}

export const openAiRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/chat/completions',
    protocol: openAiProtocol,
    modelOf: modelInBody,
    reply: replyToChat,
  },
  {
    method: 'POST',
    path: '/v1/embeddings',
    protocol: openAiProtocol,
    modelOf: modelInBody,
    reply: replyWithEmbeddings,
  },
  {
    method: 'POST',
    path: '/v1/images/generations',
    protocol: openAiProtocol,
    modelOf: modelInBody,
    reply: replyWithImages,
  },
  {
    method: 'GET',
    path: PICTURES_PATH,
    // Whoever has a picture's address may see it.
    protocol: { ...openAiProtocol, refusal: () => undefined },
    modelOf: modelInBody,
    reply: replyWithPicture,
  },
  {
    method: 'POST',
    path: '/v1/audio/speech',
    protocol: audioProtocol,
    modelOf: modelInBody,
    reply: replyWithSpeech,
  },
  {
    method: 'POST',
    path: '/v1/audio/transcriptions',
    protocol: openAiProtocol,
    modelOf: modelInBody,
    reply: replyWithTranscript,
  },
  {
    method: 'GET',
    path: '/v1/models',
    protocol: openAiProtocol,
    modelOf: modelInBody,
    reply: replyWithModels,
  },
];
