/** Signs requests that no AWS client makes: to the OpenAI and Messages endpoints of AWS (IAM user guide, Signature Version 4). */
import { SignatureV4 } from '@smithy/signature-v4';
import type { RequestSigner } from '../../core/ports.ts';
import type { BedrockClients } from './bedrock-clients.ts';

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
    const { host: _host, ...sent } = signed.headers;
    return sent;
  };
}
