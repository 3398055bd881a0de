/** `POST /v1/images/generations`. */

import { createResolve, loopbackAllowed } from '../../../platform/connections/address-guard.ts';
import { createGuardedExchange } from '../../../platform/connections/guarded-exchange.ts';
import { createUpstreamFetch } from '../../../platform/connections/upstream-fetch.ts';
import { images } from '../../core/kinds/images/images.ts';
import { createKindEndpoint } from '../../core/kinds/kind-endpoint.ts';
import { paidHandler } from '../../handlers/paid-handler.ts';
import { createImageCalls } from '../../providers/kinds/provider-calls.ts';
import { createBedrockClients } from '../../store/bedrock-clients.ts';

export const handler = paidHandler('openai', (calls) => {
  const bedrockClient = createBedrockClients({}, calls.exchange).client;
  const guard = { allowLoopback: loopbackAllowed(process.env), resolve: createResolve() };
  const download = createUpstreamFetch(createGuardedExchange(guard));
  return createKindEndpoint(images, createImageCalls({ ...calls, bedrockClient, download }), calls);
});
