/**
 * The routes of Bedrock's control plane that tell what an account may call (Amazon Bedrock API reference,
 * ListFoundationModels, ListInferenceProfiles and GetFoundationModelAvailability).
 */
import { jsonResponse, type SimulatedCall, type SimulatedRoute } from '../exchange/reply.ts';
import { availabilityOf, foundationModels, inferenceProfiles } from './offers.ts';
import { bedrockProtocol } from './protocol.ts';

/** Accounts whose access key begins so are new. */
export const NEW_ACCOUNT = 'NEWACCOUNT';

/** A page may have fewer profiles than requested, as AWS's do. */
const MAX_PAGE = 20;

const credentialOf = ({ headers }: SimulatedCall) => {
  const [, key = '', region = ''] =
    /Credential=([^/]+)\/\d+\/([^/]+)\//.exec(headers.authorization ?? '') ?? [];
  return { key, region };
};

const getRoute = (path: string, bodyOf: (call: SimulatedCall, region: string) => object): SimulatedRoute => ({
  method: 'GET',
  path,
  protocol: bedrockProtocol,
  reply: (call) => jsonResponse(200, bodyOf(call, credentialOf(call).region)),
});

export const controlPlaneRoutes: readonly SimulatedRoute[] = [
  getRoute('/foundation-models', (_call, region) => foundationModels(region)),
  getRoute('/inference-profiles', ({ query }, region) => {
    const parameters = new URLSearchParams(query);
    const size = Math.min(Number(parameters.get('maxResults') ?? MAX_PAGE), MAX_PAGE);
    return inferenceProfiles(region, { size, token: Number(parameters.get('nextToken') ?? 0) });
  }),
  getRoute('/foundation-model-availability/{modelId}', (call, region) =>
    availabilityOf(call.parameters.modelId ?? '', region, credentialOf(call).key.startsWith(NEW_ACCOUNT)),
  ),
];
