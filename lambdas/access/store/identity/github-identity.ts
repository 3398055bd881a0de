/**
 * GitHub access tokens: issued to our own OAuth app, and whose. GitHub has no ID tokens for people; without the first
 * question a token that somebody gave to another app would sign them in here (GitHub REST API, Check a token).
 */
import * as z from 'zod';
import type { GitHubSettings } from '../../../platform/contract/identity-providers.ts';
import type { CodeCredential, ProviderIdentity, TokenCredential } from '../../core/sessions/sign-in.ts';
import { exchangeCode, requireRedirectUri } from './code-exchange.ts';
import { invalidToken, providerUnavailable } from './identity-errors.ts';
import { fetchFromProvider } from './provider-request.ts';

/** The identity of an account does not move with the API's address. */
const ISSUER = 'https://github.com';

const user = z.object({ id: z.int().positive() });
const check = z.object({ app: z.object({ client_id: z.string() }), user });

export interface GitHubOptions {
  readonly settings: GitHubSettings;
  readonly clientSecret: () => Promise<string>;
  readonly fetch: typeof globalThis.fetch;
}

export class GitHubProvider {
  readonly #options: GitHubOptions;

  constructor(options: GitHubOptions) {
    this.#options = options;
  }

  /**
   * Exchanges a code for an access token and verifies the token (GitHub documentation, Authorizing OAuth apps). The
   * verifier binds the code to the browser that requested it. An access token cannot contain a nonce, so the nonce is
   * ignored.
   */
  async exchange(credential: CodeCredential): Promise<ProviderIdentity> {
    const { settings, clientSecret, fetch } = this.#options;
    requireRedirectUri(settings.redirectUris, credential.redirectUri);
    const tokenResponse = await exchangeCode({
      fetch,
      tokenEndpoint: `${settings.oauthUrl.replace(/\/$/, '')}/access_token`,
      client: { id: settings.clientId, secret: await clientSecret(), authentication: 'post' },
      credential,
    });
    const { access_token: token } = tokenResponse;
    if (typeof token !== 'string') throw providerUnavailable(new Error('there is no access token'));
    return this.verify({ token });
  }

  async verify({ token, nonce }: TokenCredential): Promise<ProviderIdentity> {
    // An access token contains no nonce, so a nonce cannot be verified.
    if (nonce !== undefined || !/^[\x21-\x7e]+$/.test(token)) throw invalidToken();
    const { clientId } = this.#options.settings;
    const basic = Buffer.from(`${clientId}:${await this.#options.clientSecret()}`).toString('base64');
    const checked = await this.#request(check, `/applications/${encodeURIComponent(clientId)}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/json' },
      body: JSON.stringify({ access_token: token }),
    });
    // GitHub returns 404 for a token of another app, and 422 for a malformed token.
    if (checked === undefined || checked.app.client_id !== clientId) throw invalidToken();
    const owner = await this.#request(
      user,
      '/user',
      { headers: { authorization: `Bearer ${token}` } },
      [401],
    );
    if (owner === undefined || owner.id !== checked.user.id) throw invalidToken();
    return { issuer: ISSUER, subject: String(owner.id) };
  }

  /**
   * Returns undefined if GitHub rejects the token. Throws 503 if GitHub does not respond, or rejects our credentials.
   */
  async #request<T>(
    schema: z.ZodType<T>,
    path: string,
    init: RequestInit,
    rejectedStatuses: readonly number[] = [404, 422],
  ): Promise<T | undefined> {
    const { settings, fetch } = this.#options;
    const headers = {
      ...init.headers,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      'user-agent': 'unified-inference-service',
    };
    const url = `${settings.apiUrl.replace(/\/$/, '')}${path}`;
    const { status, body } = await fetchFromProvider(fetch, url, { ...init, headers });
    if (rejectedStatuses.includes(status)) return undefined;
    if (status >= 300) throw providerUnavailable(new Error(`GitHub returned ${status}`));
    const { data, error } = schema.safeParse(body);
    if (error !== undefined) throw providerUnavailable(error);
    return data;
  }
}
