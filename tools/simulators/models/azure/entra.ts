/** Microsoft Entra's token endpoint for clients with a secret (Microsoft identity platform docs, OAuth 2.0 client credentials flow). */
import { z } from 'zod';
import { jsonResponse, type SimulatedCall } from '../exchange/reply.ts';

const requestSchema = z.object({
  grant_type: z.literal('client_credentials'),
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  scope: z.string().regex(/\/\.default$/u),
});

const CLIENT_SECRET = 'sim-client-secret';

/** Seconds; Entra's own are random between 60 and 90 minutes. */
const LIFETIME_SECONDS = 3_599;

const PREFIX = 'entra-token-';

export const isIssued = (token: string): boolean => token.startsWith(PREFIX);

const rejection = (status: number, error: string, code: number) =>
  jsonResponse(status, { error, error_description: `AADSTS${code}: refused.`, error_codes: [code] });

export function respondWithToken({ body, parameters, sequence }: SimulatedCall) {
  const request = requestSchema.safeParse(body);
  if (!request.success) return rejection(400, 'invalid_request', 900_144);
  if (request.data.client_secret !== CLIENT_SECRET) return rejection(401, 'invalid_client', 7_000_215);
  return jsonResponse(200, {
    token_type: 'Bearer',
    expires_in: LIFETIME_SECONDS,
    ext_expires_in: LIFETIME_SECONDS,
    access_token: `${PREFIX}${parameters.tenant}-${sequence}`,
  });
}
