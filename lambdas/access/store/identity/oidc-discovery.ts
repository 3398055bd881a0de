/** The discovery document of an OpenID Connect provider (OpenID Connect Discovery 1.0), requested once. */
import * as z from 'zod';
import { providerAddress } from '../../../platform/contract/identity-providers.ts';
import { providerUnavailable } from './identity-errors.ts';
import { fetchFromProvider } from './provider-request.ts';

const documentSchema = z.object({
  issuer: z.string(),
  jwks_uri: z.url(),
  authorization_endpoint: providerAddress.optional(),
  token_endpoint: providerAddress.optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
});

export type DiscoveryDocument = z.infer<typeof documentSchema>;

export class OidcDiscovery {
  readonly #issuer: string;
  readonly #fetch: typeof globalThis.fetch;
  #document: Promise<DiscoveryDocument> | undefined;

  constructor(issuer: string, fetch: typeof globalThis.fetch) {
    this.#issuer = issuer;
    this.#fetch = fetch;
  }

  /** Returns the document, and caches it after the first success. Throws 503 `identity_provider_unavailable`. */
  document(): Promise<DiscoveryDocument> {
    this.#document ??= this.#fetchDocument().catch((failure: unknown) => {
      this.#document = undefined;
      throw failure;
    });
    return this.#document;
  }

  /** It must be the issuer's own (section 4.3). */
  async #fetchDocument(): Promise<DiscoveryDocument> {
    const url = `${this.#issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const { status, body } = await fetchFromProvider(this.#fetch, url);
    if (status !== 200) throw providerUnavailable(new Error(`discovery returned ${status}`));
    const { data, error } = documentSchema.safeParse(body);
    if (data === undefined) throw providerUnavailable(error);
    if (data.issuer !== this.#issuer)
      throw providerUnavailable(new Error('the discovery document is of another issuer'));
    return data;
  }
}
