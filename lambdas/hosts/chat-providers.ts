/** The upstream protocols of chat calls, with the clients that they need. */
import { createBedrockClients } from '../adapters/aws/bedrock-clients.ts';
import { createRequestSigner } from '../adapters/aws/request-signer.ts';
import type { PaidCalls } from '../adapters/inference/create-paid-calls.ts';
import { createProviders } from '../providers/protocols.ts';

export function createChatProviders(
  calls: Pick<PaidCalls, 'fetch' | 'exchange' | 'readSecret' | 'readToken'>,
) {
  const bedrock = createBedrockClients({}, calls.exchange);
  return createProviders({ ...calls, bedrockClient: bedrock.client, sign: createRequestSigner(bedrock) });
}
