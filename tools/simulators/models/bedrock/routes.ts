/** The routes of Bedrock Runtime (its API reference, "Converse", "ConverseStream" and "InvokeModel"), and all others that are signed. */
import { answerAs, postRoute, type SimulatedCall, type SimulatedRoute } from '../exchange/reply.ts';
import { readRequest } from '../exchange/request-error.ts';
import { generateSingleOutput } from '../model/answer.ts';
import { type ConverseEnvelope, converseDocument, converseEvents } from './answer.ts';
import { controlPlaneRoutes } from './control-plane.ts';
import { guarded } from './guardrail.ts';
import { respondToInvoke } from './invoke.ts';
import { bedrockProtocol } from './protocol.ts';
import { promptBlocks, toModelRequest } from './question.ts';
import { converseRequestSchema, wholeConverseRequestSchema } from './request.ts';
import { signedRoutes } from './signed-routes.ts';

function respondToConverse({ body, fault, parameters, cache }: SimulatedCall, isStream: boolean) {
  const startedAtMs = Date.now();
  const request = readRequest(isStream ? converseRequestSchema : wholeConverseRequestSchema, body);
  const { modelId = '' } = parameters;
  const question = { ...toModelRequest(request, modelId), refuses: fault.refusal };
  const { choice, usage, isBlocked } = guarded(request, () =>
    generateSingleOutput({ ...question, cache: cache.use(modelId, promptBlocks(request)) }),
  );
  const fieldPaths = request.additionalModelResponseFieldPaths ?? [];
  const envelope: ConverseEnvelope = { modelId, startedAtMs, fieldPaths, fault, isBlocked };
  return answerAs(
    isStream,
    () => converseDocument(choice, usage, envelope),
    () => converseEvents(choice, usage, envelope),
  );
}

export const bedrockRoutes: readonly SimulatedRoute[] = [
  postRoute(bedrockProtocol, '/model/{modelId}/converse', (call) => respondToConverse(call, false)),
  postRoute(bedrockProtocol, '/model/{modelId}/converse-stream', (call) => respondToConverse(call, true)),
  postRoute(bedrockProtocol, '/model/{modelId}/invoke', respondToInvoke),
  ...signedRoutes,
  ...controlPlaneRoutes,
];
