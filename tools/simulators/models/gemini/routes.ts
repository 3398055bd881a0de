/** The routes of the Gemini API (its reference, models.generateContent and models.streamGenerateContent), and of Vertex AI. */
import {
  jsonReply,
  type SimulatedCall,
  type SimulatedReply,
  type SimulatedRoute,
} from '../exchange/reply.ts';
import { RequestError, readRequest, requireThat } from '../exchange/request-error.ts';
import { singleAnswer } from '../model/answer.ts';
import { identifierFrom } from '../model/random.ts';
import { geminiDocument, geminiEvents } from './answer.ts';
import { geminiProtocol } from './protocol.ts';
import { toModelRequest } from './question.ts';
import { generateRequestSchema } from './request.ts';
import { googleTokenProtocol, replyWithGoogleToken, vertexProtocol } from './vertex.ts';

const RESPONSE_ID_LENGTH = 22;

const METHODS: readonly string[] = ['generateContent', 'streamGenerateContent'];

/** Answers a call of a model; without `alt=sse` a stream would be one JSON array, which is not simulated. */
function replyToModel({ parameters, query = '', body, fault, sequence }: SimulatedCall): SimulatedReply {
  const { modelId: model = '', method = '' } = parameters;
  if (!METHODS.includes(method)) throw new RequestError('no such method', [], { status: 404 });
  const question = toModelRequest(readRequest(generateRequestSchema, body), model, fault);
  const { choice, usage } = singleAnswer(question);
  const frame = {
    model,
    responseId: identifierFrom(`response ${sequence}`, RESPONSE_ID_LENGTH),
    withUsage: fault.no_usage !== true,
    figures: fault.usage,
  };
  if (method === 'generateContent') return jsonReply(200, geminiDocument(choice, usage, frame));
  requireThat(new URLSearchParams(query).get('alt') === 'sse', 'only alt=sse is simulated');
  return { kind: 'stream', events: geminiEvents(choice, usage, frame) };
}

export const geminiRoutes: readonly SimulatedRoute[] = [
  {
    method: 'POST',
    path: '/v1beta/models/{modelId}\\:{method}',
    protocol: geminiProtocol,
    reply: replyToModel,
  },
  {
    method: 'POST',
    path: '/vertex/v1/projects/{project}/locations/{location}/publishers/google/models/{modelId}\\:{method}',
    protocol: vertexProtocol,
    reply: replyToModel,
  },
  { method: 'POST', path: '/google/token', protocol: googleTokenProtocol, reply: replyWithGoogleToken },
];
