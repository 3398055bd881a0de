/** Wires `POST /api/v1/auth/{identity_provider}` for Lambda. */
import { createAccounts } from '../../adapters/accounts.ts';
import { createDynamoClients } from '../../adapters/clients.ts';
import { createIdentityVerifier } from '../../adapters/identity-verifier.ts';
import { createLog } from '../../adapters/logger.ts';
import { createSessions } from '../../adapters/session-tokens.ts';
import { systemClock, systemUlid } from '../../adapters/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { createSession } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { sessions, readSecret } = createSessions({ clients, environment, log });

const endpoint = createSession({
  verifier: createIdentityVerifier({ environment, readSecret, clock: systemClock, log }),
  accounts: createAccounts({ clients, environment }),
  sessions,
});

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
