/** The route of the Responses wire format (OpenAI API reference, "Create a model response"). */
import type { SignatureScope } from '../exchange/proof.ts';
import {
  jsonReply,
  type SimulatedCall,
  type SimulatedReply,
  type SimulatedRoute,
} from '../exchange/reply.ts';
import { readRequest } from '../exchange/request-error.ts';
import { singleAnswer } from '../model/answer.ts';
import { identifierFrom } from '../model/random.ts';
import { answerItems, type ResponseFrame, responseDocument } from './answer.ts';
import { conversationOf } from './history.ts';
import { responsesProtocol } from './protocol.ts';
import { toModelRequest } from './question.ts';
import { type ResponsesRequest, responsesRequestSchema } from './request.ts';
import { responseEvents } from './stream.ts';

const RESPONSE_ID_LENGTH = 43;

/** The tier as it was asked for; fast and priority are one (OpenAI API reference, `service_tier`). */
function servedTier({ service_tier: tier }: ResponsesRequest): string {
  if (tier === 'fast') return 'priority';
  return tier === null || tier === undefined || tier === 'auto' ? 'default' : tier;
}

/** Reasoning belongs to the account whose key asked for it; all signed requests are of one account. */
function scopeOf({ headers: { authorization } }: SimulatedCall): SignatureScope {
  const isKey = typeof authorization === 'string' && authorization.startsWith('Bearer ');
  return ['responses', isKey ? authorization : 'signed'];
}

/** Answers a Responses request, and keeps the answer unless the request says that it is not to be kept. */
export function replyToResponses(call: SimulatedCall): SimulatedReply {
  const { body, fault, sequence, kept } = call;
  const request = readRequest(responsesRequestSchema, body);
  const scope = scopeOf(call);
  const items = conversationOf(request, scope, kept);
  const { choice, usage } = singleAnswer(toModelRequest(request, items, fault));
  const frame: ResponseFrame = {
    id: `resp_${identifierFrom(`response ${sequence}`, RESPONSE_ID_LENGTH)}`,
    createdAt: Math.floor(Date.now() / 1000),
    request,
    serviceTier: fault.served_tier ?? servedTier(request),
    scope,
    withUsage: fault.no_usage !== true,
    figures: fault.usage,
  };
  const answered = answerItems(choice, frame).map(({ item }) => item);
  if (request.store !== false) kept.keep({ id: frame.id, items: [...items, ...answered] });
  if (request.stream !== true) return jsonReply(200, responseDocument(choice, usage, frame));
  return { kind: 'stream', events: responseEvents(choice, usage, frame) };
}

export const responsesRoutes: readonly SimulatedRoute[] = [
  { method: 'POST', path: '/v1/responses', protocol: responsesProtocol, reply: replyToResponses },
];
