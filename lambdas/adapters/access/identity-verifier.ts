/** The identity providers that the deployment's configuration names. */
import { requireVariable, VARIABLES } from '../../contract/environment.ts';
import { identityProvidersSchema } from '../../contract/identity-providers.ts';
import type { Credential, Identity, IdentityVerifier } from '../../core/access/sign-in.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Clock, Log, SecretReader } from '../../core/ports.ts';
import { GitHubProvider } from './github-identity.ts';
import { OidcProvider } from './oidc-identity.ts';

export interface IdentityOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readSecret: SecretReader;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetch?: typeof globalThis.fetch;
}

/** Throws at once when the configuration is not valid. */
export function createIdentityVerifier(options: IdentityOptions): IdentityVerifier {
  const { environment, readSecret, clock, log, fetch = globalThis.fetch } = options;
  const settings = identityProvidersSchema.parse(
    JSON.parse(requireVariable(environment, VARIABLES.identityProviders)),
  );
  const secretId = requireVariable(environment, VARIABLES.identitySecret);
  const providers = new Map(
    Object.entries(settings).map(([name, provider]) => [
      name,
      provider.type === 'oidc'
        ? new OidcProvider({ settings: provider, fetch, clock })
        : new GitHubProvider({
            settings: provider,
            clientSecret: () => readSecret(`secretsmanager:${secretId}#${name}`),
            fetch,
          }),
    ]),
  );

  return {
    async verify(name: string, credential: Credential): Promise<Identity> {
      const provider = providers.get(name);
      if (provider === undefined) {
        throw new ServiceError('not_found', 'There is no such identity provider.', {
          param: 'identity_provider',
        });
      }
      try {
        return await provider.verify(credential);
      } catch (failure) {
        if (failure instanceof ServiceError && failure.status === 503) {
          const { name: cause = 'unknown' } = Object(failure.cause) as { name?: string };
          log.warn('identity provider unavailable', { provider: name, cause });
        }
        throw failure;
      }
    },
  };
}
