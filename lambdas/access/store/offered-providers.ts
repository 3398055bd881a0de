/** The configured identity providers that a browser can start a sign-in with. */
import {
  type GitHubSettings,
  type OidcSettings,
  readIdentityProviders,
} from '../../platform/contract/identity-providers.ts';
import type { Clock, Log } from '../../platform/core/ports.ts';
import type { OfferedProvider } from '../core/offered-providers.ts';
import { OidcDiscovery } from './oidc-discovery.ts';

export interface OfferedProvidersOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetch?: typeof globalThis.fetch;
}

/** Anyone may request the list, so a provider that is down is retried only after this pause. */
const PAUSE_MS = 5_000;

/** The identity of the person and their email address. The service needs no more. */
const OIDC_SCOPE = 'openid email';

/** Without a scope GitHub shows what is public, which the id is (GitHub documentation, Scopes for OAuth apps). */
const GITHUB_SCOPE = '';

/**
 * Returns the providers with a client id and redirect URIs, in the order of the settings. Leaves out a provider whose
 * discovery fails until it responds. Throws at once if the configuration is not valid.
 */
export function createOfferedProviders(
  options: OfferedProvidersOptions,
): () => Promise<readonly OfferedProvider[]> {
  const settings = Object.entries(readIdentityProviders(options.environment));
  const resolvers = settings.map(([id, each]) =>
    each.type === 'oidc' ? oidcProvider(id, each, options) : async () => githubProvider(id, each),
  );
  return async () =>
    (await Promise.all(resolvers.map((resolve) => resolve()))).filter((each) => each !== undefined);
}

function githubProvider(id: string, settings: GitHubSettings): OfferedProvider | undefined {
  const { clientId, displayName = id, redirectUris, oauthUrl } = settings;
  if (redirectUris === undefined) return undefined;
  const authorizationEndpoint = `${oauthUrl.replace(/\/$/, '')}/authorize`;
  return { id, type: 'github', name: displayName, clientId, authorizationEndpoint, scope: GITHUB_SCOPE };
}

function oidcProvider(
  id: string,
  settings: OidcSettings,
  { clock, log, fetch = globalThis.fetch }: OfferedProvidersOptions,
): () => Promise<OfferedProvider | undefined> {
  const { clientId, displayName = id, redirectUris, issuer } = settings;
  if (clientId === undefined || redirectUris === undefined) return async () => undefined;
  const discovery = new OidcDiscovery(issuer, fetch);
  let pausedUntilMs = 0;
  async function discovered(): Promise<string | undefined> {
    if (clock() < pausedUntilMs) return undefined;
    try {
      return (await discovery.document()).authorization_endpoint;
    } catch {
      pausedUntilMs = clock() + PAUSE_MS;
      log.warn('identity provider unavailable', { provider: id, cause: 'discovery' });
      return undefined;
    }
  }
  return async () => {
    const authorizationEndpoint = settings.authorizationEndpoint ?? (await discovered());
    if (authorizationEndpoint === undefined) return undefined;
    return { id, type: 'oidc', name: displayName, clientId, authorizationEndpoint, scope: OIDC_SCOPE };
  };
}
