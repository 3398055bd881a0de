/**
 * Tokens of Microsoft Entra ID for Azure OpenAI, by the client credentials flow (Microsoft identity platform docs, OAuth
 * 2.0 client credentials flow, "First case: Access token request with a shared secret").
 */
import * as z from 'zod';
import { parseCredentials, type TokenRequest, tokenAddress } from './token-answer.ts';

/** Entra of the public cloud; those of sovereign clouds are in the docs under "National clouds". */
const PUBLIC_AUTHORITY = 'https://login.microsoftonline.com';

/** What a token is for (Azure OpenAI docs, "How to configure Azure OpenAI with Microsoft Entra ID"). */
const SCOPE = 'https://cognitiveservices.azure.com/.default';

/** Without `authority` and `scope` those of the public cloud. */
const credentialsSchema = z.strictObject({
  tenant_id: z.string().regex(/^[A-Za-z0-9.-]{1,128}$/),
  client_id: z.string().min(1).max(256),
  client_secret: z.string().min(1).max(4_096),
  authority: tokenAddress.default(PUBLIC_AUTHORITY),
  scope: z.string().min(1).max(512).default(SCOPE),
});

/** Throws for a secret of another form, without quoting it. */
export async function entraRequest(secret: string): Promise<TokenRequest> {
  const form = '{"tenant_id", "client_id", "client_secret"}';
  const client = parseCredentials(credentialsSchema, secret, form);
  return {
    issuer: 'Microsoft Entra',
    url: `${client.authority.replace(/\/+$/, '')}/${client.tenant_id}/oauth2/v2.0/token`,
    form: {
      grant_type: 'client_credentials',
      client_id: client.client_id,
      client_secret: client.client_secret,
      scope: client.scope,
    },
  };
}
