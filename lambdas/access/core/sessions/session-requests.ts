/** The bodies of the requests that start and end sessions, and the responses of renewing and ending one. */
import * as z from 'zod';
import { type Body, seconds } from '../../../platform/core/api/response-schema.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import type { RenewedSession } from './session.ts';
import { TRANSPORT_HEADER } from './session-cookie.ts';
import type { Credential } from './sign-in.ts';

/** ID tokens have a few kilobytes at most; API Gateway would take ten million bytes. */
const MAX_TOKEN_LENGTH = 16_384;

/** Microsoft's codes have one to two kilobytes; RFC 6749, appendix A.11, has the characters. */
const code = z
  .string()
  .regex(/^[\x20-\x7e]{1,4096}$/, 'must be an authorization code')
  .describe('The authorization code that the provider has sent to `redirect_uri`, in place of `token`.');

const codeVerifier = z
  .string()
  .regex(/^[\w.~-]{43,128}$/, 'must be 43 to 128 letters, digits, "-", ".", "_" or "~"')
  .describe('The verifier of its `code_challenge` (RFC 7636, section 4.1); needed with `code`.');

/** The body of `POST /api/v1/auth/{identity_provider}`: a token, or a code with its verifier and its redirect URI. */
export const signInRequest = z
  .object({
    token: z
      .string()
      .min(1)
      .max(MAX_TOKEN_LENGTH)
      .optional()
      .describe('A token of the provider: an ID token, or an access token of GitHub.'),
    /** The nonce that the ID token must contain, where the caller requested it with one (OpenID Connect Core 1.0, section 2). */
    nonce: z.string().min(1).max(255).optional(),
    code: code.optional(),
    code_verifier: codeVerifier.optional(),
    redirect_uri: z
      .string()
      .min(1)
      .max(2048)
      .optional()
      .describe('Where the code was sent; one of those in the settings. Needed with `code`.'),
    role: z
      .enum(['owner', 'operator'])
      .optional()
      .describe(
        '`operator`: a session of the operator’s view, for accounts that may see it. It cannot be renewed.',
      ),
  })
  .superRefine((body, context) => {
    const addIssue = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    const ofCode = ['code', 'code_verifier', 'redirect_uri'] as const;
    const presentField = ofCode.find((name) => body[name] !== undefined);
    if (body.token !== undefined && presentField !== undefined)
      addIssue(presentField, 'cannot be sent together with a token');
    if (body.token !== undefined) return;
    const missing = presentField === undefined ? 'token' : ofCode.find((name) => body[name] === undefined);
    if (missing !== undefined) addIssue(missing, 'is required');
  });

/**
 * Returns the credential in a valid body, which proves the identity of the person: a token or an authorization code.
 */
export function credentialIn(body: z.infer<typeof signInRequest>): Credential {
  const { token, nonce, code = '', code_verifier: codeVerifier = '', redirect_uri: redirectUri = '' } = body;
  return token === undefined ? { code, codeVerifier, redirectUri, nonce } : { token, nonce };
}

/**
 * Returns whether the session of a sign-in goes into a cookie. Throws 400 if the header specifies neither `cookie` nor
 * `bearer`.
 */
export function wantsCookie(headers: Pick<Headers, 'get'>): boolean {
  const transport = headers.get(TRANSPORT_HEADER) ?? 'bearer';
  if (transport === 'cookie' || transport === 'bearer') return transport === 'cookie';
  throw new ServiceError('invalid_value', `${TRANSPORT_HEADER} must be "cookie" or "bearer".`, {
    param: TRANSPORT_HEADER,
  });
}

/** The body of `POST /api/v1/auth/sign-out`. */
export const signOutRequest = z.object({
  everywhere: z.boolean().default(false).describe('Ends every session of the account.'),
});

export const signedOutSchema = z.object({
  object: z.literal('session'),
  signed_out: z.literal(true),
  everywhere: z.boolean(),
});

export const renewedSchema = z.object({
  object: z.literal('session'),
  access_token: z.string().nullable().describe('Null when the session came by cookie, which then holds it.'),
  expires_in: z.int(),
  signed_in_until: seconds.describe('After this no renewal is accepted: seconds since the epoch.'),
});

/** The response of a renewal, which shows the token unless a cookie holds it. */
export const renewedBody = (renewed: RenewedSession, inCookie: boolean): Body<typeof renewedSchema> => ({
  object: 'session',
  access_token: inCookie ? null : renewed.token,
  expires_in: renewed.expiresInSeconds,
  signed_in_until: renewed.signedInUntil,
});
