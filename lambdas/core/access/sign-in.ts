/** Signing in: an external identity is proved, mapped to the one account it opened, and given a session. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Body } from '../api/response-schema.ts';
import { type Account, type Accounts, accountEntry, accountSchema } from './accounts.ts';
import { SESSION_SECONDS, type Sessions } from './session.ts';

/** Somebody, as an identity provider knows them. */
export interface Identity {
  /** Who vouches. */
  readonly issuer: string;
  /** Unique and never reassigned within the issuer (OpenID Connect Core 1.0, section 5.7). */
  readonly subject: string;
  /** Only where the issuer says that it is theirs. */
  readonly email?: string;
}

export interface Credential {
  readonly token: string;
  /** What the token must repeat, where the caller chose one. */
  readonly nonce?: string | undefined;
}

export interface IdentityVerifier {
  /**
   * Proves a token of the provider of that name. Throws 404 for an unknown provider, 401 `invalid_token`, or 503
   * `identity_provider_unavailable`.
   */
  verify(provider: string, credential: Credential): Promise<Identity>;
}

export interface SignInDependencies {
  readonly verifier: IdentityVerifier;
  readonly accounts: Pick<Accounts, 'openFor'>;
  readonly sessions: Pick<Sessions, 'begin'>;
}

export interface SignInResult {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly account: Account;
}

/**
 * The same address at two providers is two identities: an issuer may let anybody claim an address, and whoever
 * claimed it must not get at the account. Hashed, because a subject has no bound and some are addresses.
 */
export const identityKey = ({ issuer, subject }: Identity): string =>
  createHash('sha256').update(`${issuer}\n${subject}`).digest('hex');

/**
 * Signs somebody in, opening their account the first time: exactly one, however many requests race. Throws 429
 * `session_quota`.
 */
export async function signIn(
  { verifier, accounts, sessions }: SignInDependencies,
  provider: string,
  credential: Credential,
): Promise<SignInResult> {
  const identity = await verifier.verify(provider, credential);
  const account = await accounts.openFor(identityKey(identity), identity.email);
  const accessToken = await sessions.begin(account.id, SESSION_SECONDS);
  return { accessToken, expiresInSeconds: SESSION_SECONDS, account };
}

export const signedInSchema = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  account: accountSchema,
});

/** The response of a sign-in. */
export const signedInBody = (result: SignInResult): Body<typeof signedInSchema> => ({
  access_token: result.accessToken,
  token_type: 'Bearer',
  expires_in: result.expiresInSeconds,
  account: accountEntry(result.account),
});
