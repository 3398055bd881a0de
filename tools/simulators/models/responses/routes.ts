/** The route of the Responses wire format (OpenAI API reference, "Create a model response"). */
import type { SignatureScope } from '../exchange/proof.ts';
import {
  jsonResponse,
  type SimulatedCall,
  type SimulatedResponse,
  type SimulatedRoute,
} from '../exchange/reply.ts';
import { readRequest } from '../exchange/request-error.ts';
import { generateSingleOutput } from '../model/answer.ts';
import { identifierFrom } from '../model/random.ts';
import { outputItemsOf, type ResponseEnvelope, responseDocument } from './answer.ts';
import { conversationOf } from './history.ts';
import { responsesProtocol } from './protocol.ts';
import { toModelRequest } from './question.ts';
import { type ResponsesRequest, responsesRequestSchema } from './request.ts';
import { responseEvents } from './stream.ts';

const RESPONSE_ID_LENGTH = 43;

/** The tier as it was asked for; fast and priority are one (OpenAI API reference, `service_tier`). */
function usedTier({ service_tier: tier }: ResponsesRequest): string {
  if (tier === 'fast') return 'priority';
  return tier === null || tier === undefined || tier === 'auto' ? 'default' : tier;
}

/** Reasoning belongs to the account whose key asked for it; all signed requests are of one account. */
function scopeOf({ headers: { authorization } }: SimulatedCall): SignatureScope {
  const isKey = typeof authorization === 'string' && authorization.startsWith('Bearer ');
  return ['responses', isKey ? authorization : 'signed'];
}

/** Answers a Responses request, and keeps the answer unless the request says that it is not to be kept. */
export function respondToResponses(call: SimulatedCall): SimulatedResponse {
  const { body, fault, sequence, storedResponses } = call;
  const request = readRequest(responsesRequestSchema, body);
  const scope = scopeOf(call);
  const items = conversationOf(request, scope, storedResponses);
  const { choice, usage } = generateSingleOutput(toModelRequest(request, items, fault));
  const envelope: ResponseEnvelope = {
    id: `resp_${identifierFrom(`response ${sequence}`, RESPONSE_ID_LENGTH)}`,
    createdAt: Math.floor(Date.now() / 1000),
    request,
    serviceTier: fault.served_tier ?? usedTier(request),
    scope,
    withUsage: fault.no_usage !== true,
    usageFields: fault.usage,
  };
  const outputItems = outputItemsOf(choice, envelope).map(({ item }) => item);
  if (request.store !== false) storedResponses.keep({ id: envelope.id, items: [...items, ...outputItems] });
  if (request.stream !== true) return jsonResponse(200, responseDocument(choice, usage, envelope));
  return { kind: 'stream', events: responseEvents(choice, usage, envelope) };
}

export const responsesRoutes: readonly SimulatedRoute[] = [
  { method: 'POST', path: '/v1/responses', protocol: responsesProtocol, reply: respondToResponses },
];
