/** The identity providers that the deployment's configuration names. */
import { requireVariable, VARIABLES } from '../../../platform/contract/environment.ts';
import { readIdentityProviders } from '../../../platform/contract/identity-providers.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import type { Clock, Log, SecretReader } from '../../../platform/core/ports.ts';
import type {
  CodeCredential,
  Credential,
  IdentityVerifier,
  ProviderIdentity,
} from '../../core/sessions/sign-in.ts';
import { GitHubProvider } from './github-identity.ts';
import { invalidCode } from './identity-errors.ts';
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
  const settings = readIdentityProviders(environment);
  const secret = `secretsmanager:${requireVariable(environment, VARIABLES.identitySecret)}`;
  const providers = new Map(
    Object.entries(settings).map(([name, provider]) => [
      name,
      provider.type === 'oidc'
        ? new OidcProvider({
            settings: provider,
            clientSecret: async () => secretOf(name, await readSecret(secret)),
            fetch,
            clock,
          })
        : new GitHubProvider({
            settings: provider,
            clientSecret: () => readSecret(`${secret}#${name}`),
            fetch,
          }),
    ]),
  );

  return {
    async verify(name: string, credential: Credential): Promise<ProviderIdentity> {
      const provider = providers.get(name);
      if (provider === undefined) {
        throw new ServiceError('not_found', 'There is no such identity provider.', {
          param: 'identity_provider',
        });
      }
      try {
        return await ('code' in credential ? exchange(provider, credential) : provider.verify(credential));
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

/**
 * Exchanges a code for a token. An invalid token is reported as an invalid code, because the caller has sent only the
 * code.
 */
async function exchange(
  provider: OidcProvider | GitHubProvider,
  credential: CodeCredential,
): Promise<ProviderIdentity> {
  try {
    return await provider.exchange(credential);
  } catch (failure) {
    if (failure instanceof ServiceError && failure.code === 'invalid_token') throw invalidCode(failure);
    throw failure;
  }
}

/** Returns that provider's secret from the identity secret, or undefined if it has none or is not filled in. */
function secretOf(name: string, text: string): string | undefined {
  try {
    const { [name]: secret } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return typeof secret === 'string' && secret !== '' ? secret : undefined;
  } catch {
    return undefined;
  }
}
