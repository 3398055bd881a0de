/** The routes of the Messages wire format (Claude API reference, "Create a Message" and "Count tokens in a Message"). */
import type { Fault } from '../control/fault.ts';
import {
  jsonReply,
  type SimulatedCall,
  type SimulatedReply,
  type SimulatedRoute,
} from '../exchange/reply.ts';
import { readRequest } from '../exchange/request-error.ts';
import { singleAnswer } from '../model/answer.ts';
import { promptTokens } from '../model/prompt-tokens.ts';
import { identifierFrom } from '../model/random.ts';
import { type MessageFrame, messageDocument, messageEvents } from './answer.ts';
import { checkBetas } from './betas.ts';
import { anthropicProtocol } from './protocol.ts';
import { promptBlocks, toModelRequest } from './question.ts';
import { type AnyRequest, countRequestSchema, messagesRequestSchema } from './request.ts';

const MESSAGE_ID_LENGTH = 22;

/**
 * Returns the speed and region used, as requested or as the fault sets them. The usage contains only requested fields.
 */
function servedBy(
  { speed, inference_geo: place }: AnyRequest,
  { served_tier: tier }: Fault,
): MessageFrame['served'] {
  return {
    service_tier: tier === undefined || tier === 'fast' ? 'standard' : tier,
    ...(speed ? { speed: tier === undefined || tier === 'fast' ? speed : 'standard' } : {}),
    ...(place ? { inference_geo: place } : {}),
  };
}

/** Answers a Messages request. */
export function replyToMessages({ body, fault, headers, sequence, cache }: SimulatedCall): SimulatedReply {
  const request = readRequest(messagesRequestSchema, body);
  checkBetas(request, headers);
  const question = toModelRequest(request, fault);
  const { choice, usage } = singleAnswer({
    ...question,
    cache: cache.use(request.model, promptBlocks(request)),
  });
  const frame: MessageFrame = {
    id: `msg_01${identifierFrom(`message ${sequence}`, MESSAGE_ID_LENGTH)}`,
    model: request.model,
    withUsage: fault.no_usage !== true,
    served: servedBy(request, fault),
    figures: fault.usage,
  };
  if (request.stream !== true) return jsonReply(200, messageDocument(choice, usage, frame));
  return { kind: 'stream', events: messageEvents(choice, usage, frame) };
}

function replyToCount({ body, headers }: SimulatedCall): SimulatedReply {
  const request = readRequest(countRequestSchema, body);
  checkBetas(request, headers);
  return jsonReply(200, { input_tokens: promptTokens(toModelRequest(request, {})) });
}

const post = { method: 'POST', protocol: anthropicProtocol };

export const anthropicRoutes: readonly SimulatedRoute[] = [
  { ...post, path: '/v1/messages', reply: replyToMessages },
  { ...post, path: '/v1/messages/count_tokens', reply: replyToCount },
];
