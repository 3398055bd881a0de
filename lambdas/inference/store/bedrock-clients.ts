/** Clients of Amazon Bedrock by address, and signatures with their credentials. */
import { BedrockRuntimeClient, type BedrockRuntimeClientConfig } from '@aws-sdk/client-bedrock-runtime';
import { SignatureV4 } from '@smithy/signature-v4';
import type { HttpExchange } from '../../platform/connections/http-exchange.ts';
import type { RequestSigner } from '../../platform/core/ports.ts';
import { clientsByAddress } from './aws-clients.ts';

export interface BedrockClients {
  /** The client for a route's address; an empty one is that of the function's own region. */
  readonly client: (baseUrl: string) => BedrockRuntimeClient;
}

/** Functions take region and credentials from their environment; other programs may pass them. */
export const createBedrockClients = (
  config: BedrockRuntimeClientConfig = {},
  exchange?: HttpExchange,
): BedrockClients => ({
  client: clientsByAddress((settings) => new BedrockRuntimeClient({ ...config, ...settings }), exchange),
});

/**
 * Signs with what the client of the function's own region signs with: its credentials, and its region where the
 * request names none.
 */
export function createRequestSigner({ client }: BedrockClients): RequestSigner {
  return async ({ url, service, region, headers, body }) => {
    const { credentials, region: ownRegion, sha256 } = client('').config;
    const { protocol, host, hostname, port, pathname, searchParams } = new URL(url);
    const signature = new SignatureV4({
      service,
      region: region ?? ownRegion,
      credentials,
      sha256,
    });
    const signed = await signature.sign({
      method: 'POST',
      protocol,
      hostname,
      ...(port === '' ? {} : { port: Number(port) }),
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: { ...headers, host },
      body,
    });
    const { host: signedHeaders, ...sent } = signed.headers;
    return sent;
  };
}
