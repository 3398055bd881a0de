/** `POST /v1/images/generations`. */
import { createBedrockClients } from '../../adapters/aws/bedrock-clients.ts';
import { images } from '../../core/inference/kinds/images/images.ts';
import { createKindEndpoint } from '../../core/inference/kinds/kind-endpoint.ts';
import { paidHandler } from '../../hosts/paid-handler.ts';
import { createImageCalls } from '../../providers/kinds/provider-calls.ts';

export const handler = paidHandler('openai', (calls) => {
  const bedrockClient = createBedrockClients({}, calls.exchange).client;
  return createKindEndpoint(images, createImageCalls({ ...calls, bedrockClient }), calls);
});
