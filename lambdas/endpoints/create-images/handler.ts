/** Wires `POST /v1/images/generations` for Lambda. */
import { createBedrockClients } from '../../adapters/aws/bedrock-clients.ts';
import { paidHandler } from '../../hosts/paid-handler.ts';
import { createImageCalls } from '../../providers/kinds/provider-calls.ts';
import { createImages } from './endpoint.ts';

export const handler = paidHandler('openai', (calls) =>
  createImages(
    createImageCalls({ ...calls, bedrockClient: createBedrockClients({}, calls.exchange).client }),
    calls,
  ),
);
