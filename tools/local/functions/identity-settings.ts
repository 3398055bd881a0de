/** The local identity provider, as the setting `identityProviders` names it. */
import type { IdentityProviders } from '../../../lambdas/platform/contract/identity-providers.ts';
import { CLIENT_ID, type LocalIdentityProvider } from '../../simulators/identity/provider.ts';

/** Its name in `POST /api/v1/auth/{identity_provider}`. */
const NAME = 'local';

/** Returns the addresses of the console, one for each hostname that a browser on this machine may use. */
const redirectUrisOf = (serviceUrl: string): string[] => {
  const named = new URL('/console', serviceUrl);
  named.hostname = 'localhost';
  return [new URL('/console', serviceUrl).href, named.href];
};

/** Has codes sent to the console of that service, and returns the settings of its functions. */
export function connectIdentity(provider: LocalIdentityProvider, serviceUrl: string): IdentityProviders {
  const redirectUris = redirectUrisOf(serviceUrl);
  provider.allow(redirectUris);
  const { url: issuer } = provider;
  const displayName = 'Local account';
  return {
    [NAME]: { type: 'oidc', issuer, audience: CLIENT_ID, clientId: CLIENT_ID, displayName, redirectUris },
  };
}
