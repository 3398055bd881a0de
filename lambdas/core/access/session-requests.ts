/** The bodies of the requests that start and end sessions, and what ending one answers. */
import * as z from 'zod';

/** ID tokens have a few kilobytes at most; API Gateway would take ten million bytes. */
const MAX_TOKEN_LENGTH = 16_384;

/** The body of `POST /api/v1/auth/{identity_provider}`. */
export const signInRequest = z.object({
  token: z.string().min(1).max(MAX_TOKEN_LENGTH),
  /** The nonce that the ID token must contain, where the caller requested it with one (OpenID Connect Core 1.0, section 2). */
  nonce: z.string().min(1).max(255).optional(),
});

/** The body of `POST /api/v1/auth/sign-out`. */
export const signOutRequest = z.object({
  everywhere: z.boolean().default(false).describe('Ends every session of the account.'),
});

export const signedOutSchema = z.object({
  object: z.literal('session'),
  signed_out: z.literal(true),
  everywhere: z.boolean(),
});
