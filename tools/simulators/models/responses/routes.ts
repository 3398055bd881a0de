/** The route of the Responses wire format (OpenAI API reference, "Create a model response"). */
import type { SignatureScope } from '../exchange/proof.ts';
import { answerAs, postRoute, type SimulatedCall } from '../exchange/reply.ts';
import { readRequest } from '../exchange/request-error.ts';
import { generateSingleOutput } from '../model/answer.ts';
import { identifierFrom } from '../model/random.ts';
import { usedTier } from '../openai/protocol.ts';
import { type ResponseEnvelope, responseDocument } from './answer.ts';
import { conversationOf } from './history.ts';
import { responsesProtocol } from './protocol.ts';
import { toModelRequest } from './question.ts';
import { responsesRequestSchema } from './request.ts';
import { responseEvents } from './stream.ts';

const RESPONSE_ID_LENGTH = 43;

/** Reasoning belongs to the account whose key asked for it; all signed requests are of one account. */
function scopeOf({ headers: { authorization = '' } }: SimulatedCall): SignatureScope {
  return ['responses', authorization.startsWith('Bearer ') ? authorization : 'signed'];
}

export function respondToResponses(call: SimulatedCall) {
  const { body, fault, sequence, stored } = call;
  const request = readRequest(responsesRequestSchema, body);
  const scope = scopeOf(call);
  const items = conversationOf(request, scope);
  const question = toModelRequest(request, items);
  const { choice, usage } = generateSingleOutput({ ...question, refuses: fault.refusal });
  const envelope: ResponseEnvelope = {
    id: `resp_${identifierFrom(`response ${sequence}`, RESPONSE_ID_LENGTH)}`,
    createdAt: Math.floor(Date.now() / 1000),
    request,
    serviceTier: fault.served_tier ?? usedTier(request),
    scope,
    fault,
  };
  if (request.store !== false) stored.count += 1;
  return answerAs(
    request.stream,
    () => responseDocument(choice, usage, envelope),
    () => responseEvents(choice, usage, envelope),
  );
}

export const responsesRoutes = [postRoute(responsesProtocol, '/v1/responses', respondToResponses)];
