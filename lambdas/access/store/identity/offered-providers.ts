/** The configured identity providers that a browser can start a sign-in with. */
import {
  type GitHubSettings,
  type OidcSettings,
  readIdentityProviders,
} from '../../../platform/contract/identity-providers.ts';
import type { Clock, Log } from '../../../platform/core/ports.ts';
import type { OfferedProvider } from '../../core/identity/offered-providers.ts';
import { OidcDiscovery } from './oidc-discovery.ts';

export interface OfferedProvidersOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetch?: typeof globalThis.fetch;
}

/** Anyone may request the list, so a provider that is down is retried only after this pause. */
const PAUSE_MS = 5_000;

const SCOPES = {
  /** The identity of the person and their email address. The service needs no more. */
  oidc: 'openid email',
  /** Without a scope GitHub shows what is public, which the id is (GitHub documentation, Scopes for OAuth apps). */
  github: '',
} as const;

/**
 * Returns the providers with a client id and redirect URIs, in the order of the settings. Leaves out a provider whose
 * discovery fails until it responds. Throws at once if the configuration is not valid.
 */
export function createOfferedProviders(
  options: OfferedProvidersOptions,
): () => Promise<readonly OfferedProvider[]> {
  const settings = Object.entries(readIdentityProviders(options.environment));
  const resolvers = settings.map(([id, each]) => offerOf(id, each, options));
  return async () =>
    (await Promise.all(resolvers.map((resolve) => resolve()))).filter((each) => each !== undefined);
}

function offerOf(
  id: string,
  settings: GitHubSettings | OidcSettings,
  options: OfferedProvidersOptions,
): () => Promise<OfferedProvider | undefined> {
  const { type, clientId, displayName: name = id, redirectUris } = settings;
  if (clientId === undefined || redirectUris === undefined) return async () => undefined;
  const endpoint =
    settings.type === 'oidc'
      ? oidcEndpoint(id, settings, options)
      : async () => `${settings.oauthUrl.replace(/\/$/, '')}/authorize`;
  return async () => {
    const url = await endpoint();
    if (url === undefined) return undefined;
    return { id, type, name, client_id: clientId, authorization_endpoint: url, scope: SCOPES[type] };
  };
}

function oidcEndpoint(
  id: string,
  { issuer, authorizationEndpoint }: OidcSettings,
  { clock, log, fetch = globalThis.fetch }: OfferedProvidersOptions,
): () => Promise<string | undefined> {
  const discovery = new OidcDiscovery(issuer, fetch);
  let pausedUntilMs = 0;
  return async () => {
    if (authorizationEndpoint !== undefined) return authorizationEndpoint;
    if (clock() < pausedUntilMs) return undefined;
    try {
      return (await discovery.document()).authorization_endpoint;
    } catch {
      pausedUntilMs = clock() + PAUSE_MS;
      log.warn('identity provider unavailable', { provider: id, cause: 'discovery' });
      return undefined;
    }
  };
}
