/** Wires `POST /v1/embeddings` for Lambda. */
import { createBedrockClients } from '../../adapters/aws/bedrock-clients.ts';
import { paidHandler } from '../../hosts/paid-handler.ts';
import { createEmbeddingCalls } from '../../providers/kinds/provider-calls.ts';
import { createEmbeddings } from './endpoint.ts';

export const handler = paidHandler('openai', (calls) =>
  createEmbeddings(
    createEmbeddingCalls({ ...calls, bedrockClient: createBedrockClients({}, calls.exchange).client }),
    calls,
  ),
);
