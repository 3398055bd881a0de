/** Wires `POST /api/v1/auth/{identity_provider}` for Lambda. */
import { createAccounts } from '../../adapters/access/create-accounts.ts';
import { createIdentityVerifier } from '../../adapters/access/identity-verifier.ts';
import { createSessions } from '../../adapters/access/session-tokens.ts';
import { publicHandler } from '../../hosts/public-handler.ts';
import { createSession } from './endpoint.ts';

export const handler = publicHandler('platform', (resources) => {
  const { sessions, readSecret } = createSessions(resources);
  const verifier = createIdentityVerifier({ ...resources, readSecret });
  return createSession({ verifier, accounts: createAccounts(resources), sessions });
});
