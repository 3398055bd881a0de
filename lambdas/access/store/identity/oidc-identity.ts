/** ID tokens of an OpenID Connect provider: signed by one of its keys, meant for us, and valid. */
import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import * as z from 'zod';
import type { OidcSettings } from '../../../platform/contract/identity-providers.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import type { Clock } from '../../../platform/core/ports.ts';
import type { CodeCredential, ProviderIdentity, TokenCredential } from '../../core/sessions/sign-in.ts';
import { type ExchangeClient, exchangeCode, requireRedirectUri } from './code-exchange.ts';
import { invalidToken, providerUnavailable } from './identity-errors.ts';
import { OidcDiscovery } from './oidc-discovery.ts';
import { PROVIDER_TIMEOUT_MS } from './provider-request.ts';

/** Signatures only: with a shared-key algorithm, whoever has the provider's public key could sign (RFC 8725, 2.1). */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** The maximum difference between two correct clocks. */
const CLOCK_SKEW_SECONDS = 60;

/**
 * A provider announces a new key before it uses it, so one refresh in ten minutes is enough. An unknown key triggers a
 * refresh at once.
 */
const KEYS_MAX_AGE_MS = 10 * 60_000;

/** At most one refresh per second for unknown keys: invented key ids must not flood the provider. */
const KEYS_COOLDOWN_MS = 1_000;

type KeySet = ReturnType<typeof createRemoteJWKSet>;

export interface OidcOptions {
  readonly settings: OidcSettings;
  /** The client's secret; undefined when it has none. */
  readonly clientSecret: () => Promise<string | undefined>;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
}

export class OidcProvider {
  readonly #options: OidcOptions;
  readonly #issuers: readonly string[];
  readonly #audiences: readonly string[];
  readonly #discovery: OidcDiscovery;
  #keys: Promise<KeySet> | undefined;

  constructor(options: OidcOptions) {
    const { issuer, otherIssuers = [], audience } = options.settings;
    this.#options = options;
    this.#issuers = [issuer, ...otherIssuers];
    this.#audiences = [audience].flat();
    this.#discovery = new OidcDiscovery(issuer, options.fetch);
  }

  /** Exchanges a code of our client for an ID token, which must be issued to that client and repeat the nonce. */
  async exchange(credential: CodeCredential): Promise<ProviderIdentity> {
    const { settings, fetch } = this.#options;
    requireRedirectUri(settings.redirectUris, credential.redirectUri);
    const { nonce } = credential;
    if (nonce === undefined)
      throw new ServiceError('missing_field', 'nonce is required.', { param: 'nonce' });
    const { tokenEndpoint = (await this.#discovery.document()).token_endpoint } = settings;
    if (tokenEndpoint === undefined) throw providerUnavailable(new Error('there is no token endpoint'));
    const client = await this.#client();
    const { id_token: token } = await exchangeCode({ fetch, tokenEndpoint, client, credential });
    if (typeof token !== 'string') throw providerUnavailable(new Error('there is no ID token'));
    return this.#verify({ token, nonce }, [client.id]);
  }

  /** Every provider accepts `basic`; if one reports that it does not, it accepts `post` (RFC 8414, section 2). */
  async #client(): Promise<ExchangeClient> {
    const { settings, clientSecret } = this.#options;
    const secret = await clientSecret();
    const { clientId: id = '', tokenEndpoint } = settings;
    const methods =
      secret === undefined || tokenEndpoint !== undefined
        ? undefined
        : (await this.#discovery.document()).token_endpoint_auth_methods_supported;
    const only = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic');
    return { id, secret, authentication: only ? 'post' : 'basic' };
  }

  verify(credential: TokenCredential): Promise<ProviderIdentity> {
    return this.#verify(credential, this.#audiences);
  }

  async #verify({ token, nonce }: TokenCredential, audiences: readonly string[]): Promise<ProviderIdentity> {
    this.#requirePlausible(token);
    const claims = await this.#verifySignature(token, await this.#keySet(), audiences);
    if (nonce !== undefined && claims.nonce !== nonce) throw invalidToken();
    requireAuthorizedParty(claims, audiences);
    // The claim is whatever the issuer signed: a list of one would be written as its one entry, somebody else's name.
    const subject: unknown = claims.sub;
    if (typeof subject !== 'string' || subject === '') throw invalidToken();
    const email = verifiedEmail(claims);
    return { issuer: this.#options.settings.issuer, subject, ...(email === undefined ? {} : { email }) };
  }

  /** Rejects a token that no key could make valid, before it requests the provider's keys. */
  #requirePlausible(token: string): void {
    try {
      const { alg = '', typ } = decodeProtectedHeader(token);
      const { iss = '' } = decodeJwt(token);
      // Access tokens and logout tokens are signed by the same keys, but say nothing of who is signing in.
      if (ALGORITHMS.includes(alg) && this.#issuers.includes(iss) && /^(jwt)?$/i.test(typ ?? '')) return;
    } catch {
      // Not a token at all.
    }
    throw invalidToken();
  }

  async #verifySignature(token: string, keys: KeySet, audiences: readonly string[]): Promise<JWTPayload> {
    const { clock } = this.#options;
    const options = {
      algorithms: ALGORITHMS,
      issuer: [...this.#issuers],
      audience: [...audiences],
      requiredClaims: ['sub', 'exp', 'iat'],
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: new Date(clock()),
    };
    try {
      return (await jwtVerify(token, keys, options)).payload;
    } catch (failure) {
      if (!(failure instanceof errors.JWKSMultipleMatchingKeys)) throw explain(failure);
      // A token without a key id may be signed by any of them.
      for await (const key of failure) {
        const verified = await jwtVerify(token, key, options).catch((reason: unknown) => {
          if (reason instanceof errors.JWSSignatureVerificationFailed) return undefined;
          throw explain(reason);
        });
        if (verified !== undefined) return verified.payload;
      }
      throw invalidToken();
    }
  }

  #keySet(): Promise<KeySet> {
    this.#keys ??= this.#jwksUri().then((uri) =>
      createRemoteJWKSet(new URL(uri), {
        timeoutDuration: PROVIDER_TIMEOUT_MS,
        cacheMaxAge: KEYS_MAX_AGE_MS,
        cooldownDuration: KEYS_COOLDOWN_MS,
        [customFetch]: this.#options.fetch,
      }),
    );
    this.#keys.catch(() => {
      this.#keys = undefined;
    });
    return this.#keys;
  }

  async #jwksUri(): Promise<string> {
    return this.#options.settings.jwksUri ?? (await this.#discovery.document()).jwks_uri;
  }
}

/** With several audiences, we must be the one the token was issued to (OpenID Connect Core 1.0, section 3.1.3.7). */
function requireAuthorizedParty({ aud, azp }: JWTPayload, audiences: readonly string[]): void {
  if (Array.isArray(aud) && aud.length > 1 && !audiences.includes(String(azp))) throw invalidToken();
}

/** Returns the error for a failed verification: an invalid token, or keys that could not be read. */
function explain(failure: unknown): Error {
  const unreadable = failure instanceof errors.JWKSTimeout || failure instanceof errors.JWKSInvalid;
  const generic = failure instanceof errors.JOSEError && failure.code === 'ERR_JOSE_GENERIC';
  if (unreadable || generic || !(failure instanceof errors.JOSEError)) return providerUnavailable(failure);
  return invalidToken(failure);
}

/** Only an address that the provider has checked; Apple writes the flag as text. */
function verifiedEmail({ email, email_verified: verified }: JWTPayload): string | undefined {
  if (verified !== true && verified !== 'true') return undefined;
  const parsed = z.email().max(254).safeParse(email);
  return parsed.success ? parsed.data : undefined;
}
