/** The routes of Bedrock Runtime (its API reference, "Converse", "ConverseStream" and "InvokeModel"), and all others that are signed. */
import {
  jsonResponse,
  type SimulatedCall,
  type SimulatedResponse,
  type SimulatedRoute,
} from '../exchange/reply.ts';
import { readRequest } from '../exchange/request-error.ts';
import { generateSingleOutput } from '../model/answer.ts';
import { type ConverseEnvelope, converseDocument, converseEvents } from './answer.ts';
import { respondToInvoke } from './invoke.ts';
import { bedrockProtocol } from './protocol.ts';
import { promptBlocks, toModelRequest } from './question.ts';
import { converseRequestSchema } from './request.ts';
import { signedRoutes } from './signed-routes.ts';

function respondToConverse(
  { body, fault, parameters, cache }: SimulatedCall,
  streams: boolean,
): SimulatedResponse {
  const startedAtMs = Date.now();
  const request = readRequest(converseRequestSchema, body);
  const { modelId = '' } = parameters;
  const question = toModelRequest(request, modelId, fault);
  const { choice, usage } = generateSingleOutput({
    ...question,
    cache: cache.use(modelId, promptBlocks(request)),
  });
  const fieldPaths = request.additionalModelResponseFieldPaths ?? [];
  const envelope: ConverseEnvelope = {
    modelId,
    startedAtMs,
    withUsage: fault.no_usage !== true,
    fieldPaths,
    serviceTier: fault.served_tier ?? request.serviceTier?.type,
    usageFields: fault.usage,
  };
  if (!streams) return jsonResponse(200, converseDocument(choice, usage, envelope));
  return { kind: 'stream', events: converseEvents(choice, usage, envelope) };
}

const post = { method: 'POST', protocol: bedrockProtocol };

export const bedrockRoutes: readonly SimulatedRoute[] = [
  { ...post, path: '/model/{modelId}/converse', reply: (call) => respondToConverse(call, false) },
  { ...post, path: '/model/{modelId}/converse-stream', reply: (call) => respondToConverse(call, true) },
  { ...post, path: '/model/{modelId}/invoke', reply: respondToInvoke },
  ...signedRoutes,
];
