/** Sign-in: verifies an external identity, maps it to the one account that it opened, and starts a session. */
import { scrypt } from 'node:crypto';
import * as z from 'zod';
import type { Body } from '../../../platform/core/api/response-schema.ts';
import { type Account, type Accounts, accountEntry, accountSchema } from '../accounts/accounts.ts';
import { requireOperator } from './operator-access.ts';
import { SESSION_SECONDS, type Sessions } from './session.ts';
import type { SessionRole } from './session-cookie.ts';

/** A person's identity, as reported by an identity provider. */
export interface ProviderIdentity {
  /** The identity provider. */
  readonly issuer: string;
  /** Unique and never reassigned within the issuer (OpenID Connect Core 1.0, section 5.7). */
  readonly subject: string;
  /** Set only if the issuer reports that the address is verified. */
  readonly email?: string;
}

export interface TokenCredential {
  readonly token: string;
  /** The nonce that the token must repeat, if the caller chose one. */
  readonly nonce?: string | undefined;
}

/** An authorization code (RFC 6749, section 4.1), which the service exchanges itself: the browser has no token. */
export interface CodeCredential {
  readonly code: string;
  /** The value from which the caller derived the challenge of its code request (RFC 7636, section 4.1). */
  readonly codeVerifier: string;
  /** The URI to which the provider sent the code. */
  readonly redirectUri: string;
  /** The nonce that the ID token must repeat. OpenID Connect providers require one. */
  readonly nonce?: string | undefined;
}

export type Credential = TokenCredential | CodeCredential;

export interface IdentityVerifier {
  /**
   * Verifies a token or a code of the named provider. Throws 404 for an unknown provider, 400 for a code that the
   * provider's settings do not support, 401 `invalid_token`, or 503 `identity_provider_unavailable`.
   */
  verify(provider: string, credential: Credential): Promise<ProviderIdentity>;
}

export interface SignInDependencies {
  readonly verifier: IdentityVerifier;
  readonly accounts: Pick<Accounts, 'openFor' | 'findByIdentity'>;
  readonly sessions: Pick<Sessions, 'start'>;
}

export interface SignInResult {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly account: Account;
}

const KEY_BYTES = 32;

/**
 * Returns the key of an identity. The same address at two providers is two identities: an issuer may let anyone claim
 * an address, which must not give access to the account. The key is a hash that takes about 50 ms and 16 MiB (RFC 7914,
 * with the parameters of Node), because some subjects are addresses, and others numbers that a reader of the table
 * could try. A secret would be better at that, and losing it would lose every account.
 */
export const identityKey = ({ issuer, subject }: ProviderIdentity): Promise<string> =>
  new Promise((resolve, reject) => {
    scrypt(subject, issuer, KEY_BYTES, (failure, key) => {
      if (failure === null) resolve(key.toString('hex'));
      else reject(failure);
    });
  });

/** The credential that verifies a person's identity, its provider, and the role of the requested session. */
export interface SignInRequest {
  readonly provider: string;
  readonly credential: Credential;
  readonly role: SessionRole;
}

/**
 * Signs a person in. As an owner, the first sign-in opens the account: exactly one, even for concurrent requests. As an
 * operator, it opens no account and throws 403 `operator_only` unless the person has a marked one. Throws 429
 * `session_quota`.
 */
export async function signIn(
  { verifier, accounts, sessions }: SignInDependencies,
  { provider, credential, role }: SignInRequest,
): Promise<SignInResult> {
  const identity = await verifier.verify(provider, credential);
  const key = await identityKey(identity);
  const account =
    role === 'operator'
      ? requireOperator(await accounts.findByIdentity(key))
      : await accounts.openFor(key, identity.email);
  const accessToken = await sessions.start(account.id, SESSION_SECONDS, role);
  return { accessToken, expiresInSeconds: SESSION_SECONDS, account };
}

export const signedInSchema = z.object({
  access_token: z
    .string()
    .nullable()
    .describe('Null if the request asks for a cookie, which then contains it.'),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  account: accountSchema,
});

/** The response of a sign-in, which shows the token unless a cookie holds it. */
export const signedInBody = (result: SignInResult, inCookie: boolean): Body<typeof signedInSchema> => ({
  access_token: inCookie ? null : result.accessToken,
  token_type: 'Bearer',
  expires_in: result.expiresInSeconds,
  account: accountEntry(result.account),
});
