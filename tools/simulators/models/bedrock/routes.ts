/** The routes of Bedrock Runtime (its API reference, "Converse", "ConverseStream" and "InvokeModel"), and all others that are signed. */
import {
  jsonReply,
  type SimulatedCall,
  type SimulatedReply,
  type SimulatedRoute,
} from '../exchange/reply.ts';
import { readRequest } from '../exchange/request-error.ts';
import { singleAnswer } from '../model/answer.ts';
import { type ConverseFrame, converseDocument, converseEvents } from './answer.ts';
import { replyToInvoke } from './invoke.ts';
import { bedrockProtocol } from './protocol.ts';
import { promptBlocks, toModelRequest } from './question.ts';
import { converseRequestSchema } from './request.ts';
import { signedRoutes } from './signed-routes.ts';

function replyToConverse(
  { body, fault, parameters, cache }: SimulatedCall,
  streams: boolean,
): SimulatedReply {
  const startedAtMs = Date.now();
  const request = readRequest(converseRequestSchema, body);
  const { modelId = '' } = parameters;
  const question = toModelRequest(request, modelId, fault);
  const { choice, usage } = singleAnswer({ ...question, cache: cache.use(modelId, promptBlocks(request)) });
  const fieldPaths = request.additionalModelResponseFieldPaths ?? [];
  const frame: ConverseFrame = {
    modelId,
    startedAtMs,
    withUsage: fault.no_usage !== true,
    fieldPaths,
    serviceTier: fault.served_tier ?? request.serviceTier?.type,
    figures: fault.usage,
  };
  if (!streams) return jsonReply(200, converseDocument(choice, usage, frame));
  return { kind: 'stream', events: converseEvents(choice, usage, frame) };
}

const post = { method: 'POST', protocol: bedrockProtocol };

export const bedrockRoutes: readonly SimulatedRoute[] = [
  { ...post, path: '/model/{modelId}/converse', reply: (call) => replyToConverse(call, false) },
  { ...post, path: '/model/{modelId}/converse-stream', reply: (call) => replyToConverse(call, true) },
  { ...post, path: '/model/{modelId}/invoke', reply: replyToInvoke },
  ...signedRoutes,
];
