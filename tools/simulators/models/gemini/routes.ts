/** The routes of the Gemini API (its reference, models.generateContent and models.streamGenerateContent), and of Vertex AI. */
import {
  jsonResponse,
  type SimulatedCall,
  type SimulatedResponse,
  type SimulatedRoute,
} from '../exchange/reply.ts';
import { RequestError, readRequest, requireThat } from '../exchange/request-error.ts';
import { generateSingleOutput } from '../model/answer.ts';
import { identifierFrom } from '../model/random.ts';
import { geminiDocument, geminiEvents } from './answer.ts';
import { geminiProtocol } from './protocol.ts';
import { toModelRequest } from './question.ts';
import { generateRequestSchema } from './request.ts';
import { googleTokenProtocol, respondWithGoogleToken, vertexProtocol } from './vertex.ts';

const RESPONSE_ID_LENGTH = 22;

const METHODS: readonly string[] = ['generateContent', 'streamGenerateContent'];

/** Answers a call of a model; without `alt=sse` a stream would be one JSON array, which is not simulated. */
function respondToModel({ parameters, query = '', body, fault, sequence }: SimulatedCall): SimulatedResponse {
  const { modelId: model = '', method = '' } = parameters;
  if (!METHODS.includes(method)) throw new RequestError('no such method', [], { status: 404 });
  const question = toModelRequest(readRequest(generateRequestSchema, body), model, fault);
  const { choice, usage } = generateSingleOutput(question);
  const envelope = {
    model,
    responseId: identifierFrom(`response ${sequence}`, RESPONSE_ID_LENGTH),
    withUsage: fault.no_usage !== true,
    usageFields: fault.usage,
  };
  if (method === 'generateContent') return jsonResponse(200, geminiDocument(choice, usage, envelope));
  requireThat(new URLSearchParams(query).get('alt') === 'sse', 'only alt=sse is simulated');
  return { kind: 'stream', events: geminiEvents(choice, usage, envelope) };
}

export const geminiRoutes: readonly SimulatedRoute[] = [
  {
    method: 'POST',
    path: '/v1beta/models/{modelId}\\:{method}',
    protocol: geminiProtocol,
    reply: respondToModel,
  },
  {
    method: 'POST',
    path: '/vertex/v1/projects/{project}/locations/{location}/publishers/google/models/{modelId}\\:{method}',
    protocol: vertexProtocol,
    reply: respondToModel,
  },
  { method: 'POST', path: '/google/token', protocol: googleTokenProtocol, reply: respondWithGoogleToken },
];
