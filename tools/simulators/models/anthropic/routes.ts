/** The routes of the Messages wire format (Claude API reference, "Create a Message" and "Count tokens in a Message"). */
import type { Fault } from '../control/fault.ts';
import {
  jsonResponse,
  type SimulatedCall,
  type SimulatedResponse,
  type SimulatedRoute,
} from '../exchange/reply.ts';
import { readRequest } from '../exchange/request-error.ts';
import { generateSingleOutput } from '../model/answer.ts';
import { promptTokens } from '../model/prompt-tokens.ts';
import { identifierFrom } from '../model/random.ts';
import { type MessageEnvelope, messageDocument, messageEvents } from './answer.ts';
import { checkBetas } from './betas.ts';
import { anthropicProtocol } from './protocol.ts';
import { promptBlocks, toModelRequest } from './question.ts';
import { type AnyRequest, countRequestSchema, messagesRequestSchema } from './request.ts';

const MESSAGE_ID_LENGTH = 22;

/**
 * Returns the speed and region used, as requested or as the fault sets them. The usage contains only requested fields.
 */
function accountingOf(
  { speed, inference_geo: region }: AnyRequest,
  { served_tier: tier }: Fault,
): MessageEnvelope['accounting'] {
  return {
    service_tier: tier === undefined || tier === 'fast' ? 'standard' : tier,
    ...(speed ? { speed: tier === undefined || tier === 'fast' ? speed : 'standard' } : {}),
    ...(region ? { inference_geo: region } : {}),
  };
}

/** Answers a Messages request. */
export function respondToMessages({
  body,
  fault,
  headers,
  sequence,
  cache,
}: SimulatedCall): SimulatedResponse {
  const request = readRequest(messagesRequestSchema, body);
  checkBetas(request, headers);
  const question = toModelRequest(request, fault);
  const { choice, usage } = generateSingleOutput({
    ...question,
    cache: cache.use(request.model, promptBlocks(request)),
  });
  const envelope: MessageEnvelope = {
    id: `msg_01${identifierFrom(`message ${sequence}`, MESSAGE_ID_LENGTH)}`,
    model: request.model,
    withUsage: fault.no_usage !== true,
    accounting: accountingOf(request, fault),
    usageFields: fault.usage,
  };
  if (request.stream !== true) return jsonResponse(200, messageDocument(choice, usage, envelope));
  return { kind: 'stream', events: messageEvents(choice, usage, envelope) };
}

function respondToCount({ body, headers }: SimulatedCall): SimulatedResponse {
  const request = readRequest(countRequestSchema, body);
  checkBetas(request, headers);
  return jsonResponse(200, { input_tokens: promptTokens(toModelRequest(request, {})) });
}

const post = { method: 'POST', protocol: anthropicProtocol };

export const anthropicRoutes: readonly SimulatedRoute[] = [
  { ...post, path: '/v1/messages', reply: respondToMessages },
  { ...post, path: '/v1/messages/count_tokens', reply: respondToCount },
];
