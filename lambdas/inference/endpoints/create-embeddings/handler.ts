/** `POST /v1/embeddings`. */

import { embeddings } from '../../core/kinds/embeddings/embeddings.ts';
import { createKindEndpoint } from '../../core/kinds/kind-endpoint.ts';
import { paidHandler } from '../../handlers/paid-handler.ts';
import { createEmbeddingCalls } from '../../providers/kinds/provider-calls.ts';
import { createBedrockClients } from '../../store/bedrock-clients.ts';

export const handler = paidHandler('openai', (calls) => {
  const bedrockClient = createBedrockClients({}, calls.exchange).client;
  return createKindEndpoint(embeddings, createEmbeddingCalls({ ...calls, bedrockClient }), calls);
});
