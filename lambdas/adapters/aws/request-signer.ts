/** Signs requests to Bedrock's OpenAI endpoint, which no AWS client makes (Amazon Bedrock user guide, Chat Completions). */
import { SignatureV4 } from '@smithy/signature-v4';
import type { RequestSigner } from '../../core/ports.ts';
import { type BedrockClients, bedrockRegionOf } from './bedrock-clients.ts';

/**
 * Signs with what the client of the function's own region signs with: its credentials, and its region where the
 * address names none.
 */
export function createRequestSigner({ client }: BedrockClients): RequestSigner {
  return async ({ url, headers, body }) => {
    const { credentials, region, sha256 } = client('').config;
    const { protocol, host, hostname, port, pathname, searchParams } = new URL(url);
    const signature = new SignatureV4({
      service: 'bedrock',
      region: bedrockRegionOf(url) ?? region,
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
    const { host: _host, ...sent } = signed.headers;
    return sent;
  };
}
