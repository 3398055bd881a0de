/** `POST /v1/images/generations`. */

import { images } from '../../core/kinds/images/images.ts';
import { createKindEndpoint } from '../../core/kinds/kind-endpoint.ts';
import { paidHandler } from '../../handlers/paid-handler.ts';
import { createImageCalls } from '../../providers/kinds/provider-calls.ts';
import { createBedrockClients } from '../../store/bedrock-clients.ts';

export const handler = paidHandler('openai', (calls) => {
  const bedrockClient = createBedrockClients({}, calls.exchange).client;
  return createKindEndpoint(images, createImageCalls({ ...calls, bedrockClient }), calls);
});
