/** The routes of the Gemini API (its reference, models.generateContent and models.streamGenerateContent), and of Vertex AI. */
import { answerAs, postRoute, type SimulatedCall } from '../exchange/reply.ts';
import { RequestError, readRequest, requireThat } from '../exchange/request-error.ts';
import { generateSingleOutput } from '../model/answer.ts';
import { identifierFrom } from '../model/random.ts';
import { openProtocol } from '../openai/protocol.ts';
import { type GeminiEnvelope, geminiDocument, geminiEvents } from './answer.ts';
import { geminiProtocol } from './protocol.ts';
import { toModelRequest } from './question.ts';
import { generateRequestSchema } from './request.ts';
import { respondWithGoogleToken, vertexProtocol } from './vertex.ts';

const RESPONSE_ID_LENGTH = 22;

/** Answers a call of a model; without `alt=sse` a stream would be one JSON array, which is not simulated. */
function respondToModel({ parameters, query, body, fault, sequence }: SimulatedCall) {
  const { modelId: model = '', method = '' } = parameters;
  const isStream = method === 'streamGenerateContent';
  if (!isStream && method !== 'generateContent') throw new RequestError('no method', [], { status: 404 });
  const question = toModelRequest(readRequest(generateRequestSchema, body), model);
  const { choice, usage } = generateSingleOutput({ ...question, refuses: fault.refusal });
  const responseId = identifierFrom(`response ${sequence}`, RESPONSE_ID_LENGTH);
  const envelope: GeminiEnvelope = { model, responseId, fault };
  const isEvents = new URLSearchParams(query).get('alt') === 'sse';
  requireThat(!isStream || isEvents, 'only alt=sse is simulated');
  return answerAs(
    isStream,
    () => geminiDocument(choice, usage, envelope),
    () => geminiEvents(choice, usage, envelope),
  );
}

const MODEL = 'models/{modelId}\\:{method}';
const PROJECT = '/vertex/v1/projects/{project}/locations/{location}/publishers/google';

export const geminiRoutes = [
  postRoute(geminiProtocol, `/v1beta/${MODEL}`, respondToModel),
  postRoute(vertexProtocol, `${PROJECT}/${MODEL}`, respondToModel),
  postRoute(openProtocol, '/google/token', respondWithGoogleToken),
];
