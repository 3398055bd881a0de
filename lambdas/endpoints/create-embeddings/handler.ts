/** `POST /v1/embeddings`. */
import { createBedrockClients } from '../../adapters/aws/bedrock-clients.ts';
import { embeddings } from '../../core/inference/kinds/embeddings/embeddings.ts';
import { createKindEndpoint } from '../../core/inference/kinds/kind-endpoint.ts';
import { paidHandler } from '../../hosts/paid-handler.ts';
import { createEmbeddingCalls } from '../../providers/kinds/provider-calls.ts';

export const handler = paidHandler('openai', (calls) => {
  const bedrockClient = createBedrockClients({}, calls.exchange).client;
  return createKindEndpoint(embeddings, createEmbeddingCalls({ ...calls, bedrockClient }), calls);
});
