/**
 * Gemini on Vertex AI (Vertex AI API reference, projects.locations.publishers.models.generateContent), and Google's
 * token endpoint for service accounts (Google Identity docs, Using OAuth 2.0 for Server to Server Applications).
 */
import { z } from 'zod';
import { parsedJson } from '../../parsed-json.ts';
import { jsonResponse, type SimulatedCall, type WireProtocol } from '../exchange/reply.ts';
import { envelope, geminiProtocol } from './protocol.ts';

const PREFIX = 'ya29.sim-';

const UNAUTHENTICATED =
  'Request is missing required authentication credential. Expected OAuth 2 access token.';

/** Only tokens open it; an API key does not. */
export const vertexProtocol: WireProtocol = {
  ...geminiProtocol,
  refusal: ({ headers: { authorization = '' } }) =>
    authorization.startsWith(`Bearer ${PREFIX}`)
      ? undefined
      : jsonResponse(401, envelope(401, UNAUTHENTICATED)),
};

const requestSchema = z.object({
  grant_type: z.literal('urn:ietf:params:oauth:grant-type:jwt-bearer'),
  assertion: z.string().regex(/^[\w-]+\.[\w-]+\.[\w-]{64,}$/u),
});

const headerSchema = z.object({ alg: z.literal('RS256'), typ: z.literal('JWT') });

const claimsSchema = z.object({
  iss: z.email(),
  scope: z.literal('https://www.googleapis.com/auth/cloud-platform'),
  aud: z.url(),
  iat: z.int(),
  exp: z.int(),
});

/** Seconds; the life of a token, and the longest that an assertion may be valid. */
const LIFETIME_SECONDS = 3_599;
const MAX_VALID_SECONDS = 3_600;

const jsonIn = (part = ''): unknown => parsedJson(Buffer.from(part, 'base64url').toString('utf8'));

/**
 * Returns whether the assertion has the required header and claims. Any signature is accepted, because no key is known
 * here.
 */
function isAssertion(assertion: string): boolean {
  const [header, claims] = assertion.split('.');
  const read = claimsSchema.safeParse(jsonIn(claims));
  if (!headerSchema.safeParse(jsonIn(header)).success || !read.success) return false;
  const { iat, exp, aud } = read.data;
  return exp > iat && exp - iat <= MAX_VALID_SECONDS && aud.endsWith('/google/token');
}

export function respondWithGoogleToken({ body, sequence }: SimulatedCall) {
  const request = requestSchema.safeParse(body);
  if (!request.success) return jsonResponse(400, { error: 'invalid_request' });
  if (!isAssertion(request.data.assertion))
    return jsonResponse(400, { error: 'invalid_grant', error_description: 'Invalid JWT.' });
  return jsonResponse(200, {
    access_token: `${PREFIX}${sequence}`,
    expires_in: LIFETIME_SECONDS,
    token_type: 'Bearer',
  });
}
