/**
 * Tokens of Google Cloud for Vertex AI, by the key of a service account (Google Identity docs, Using OAuth 2.0 for Server
 * to Server Applications, "Making the access token request").
 */
import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import * as z from 'zod';
import type { Clock } from '../../core/ports.ts';
import { parseCredentials, type TokenRequest, tokenAddress } from './token-answer.ts';

/** What a token is for (Vertex AI docs, Authentication). */
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/** The grant of RFC 7523, section 2.1. */
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const TOKEN_ADDRESS = 'https://oauth2.googleapis.com/token';

/** Seconds; the longest that an assertion may be valid. */
const VALID_SECONDS = 3_600;

/** The key file as Google Cloud gives it out; its other fields are not read. */
const credentialsSchema = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1).max(512),
  private_key: z.string().min(1).max(16_384),
  private_key_id: z.string().min(1).max(256).optional(),
  token_uri: tokenAddress.default(TOKEN_ADDRESS),
});

/** Throws for a secret of another form, without quoting it. */
export async function googleRequest(secret: string, clock: Clock): Promise<TokenRequest> {
  const form = '{"type": "service_account", "client_email", "private_key"}';
  const account = parseCredentials(credentialsSchema, secret, form);
  const key = privateKey(account.private_key);
  const nowSeconds = Math.floor(clock() / 1_000);
  const assertion = await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({
      alg: 'RS256',
      typ: 'JWT',
      ...(account.private_key_id === undefined ? {} : { kid: account.private_key_id }),
    })
    .setIssuer(account.client_email)
    .setAudience(account.token_uri)
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + VALID_SECONDS)
    .sign(key);
  return { issuer: 'Google', url: account.token_uri, form: { grant_type: GRANT, assertion } };
}

/** An error of the parser may quote the key. */
function privateKey(pem: string): ReturnType<typeof createPrivateKey> {
  let key: ReturnType<typeof createPrivateKey> | undefined;
  try {
    key = createPrivateKey(pem);
  } catch {}
  if (key?.asymmetricKeyType !== 'rsa') throw new Error('the private_key of the secret is no RSA key in PEM');
  return key;
}
