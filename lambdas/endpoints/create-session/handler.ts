/** Wires `POST /api/v1/auth/{identity_provider}` for Lambda. */
import { createAccounts } from '../../adapters/access/create-accounts.ts';
import { createIdentityVerifier } from '../../adapters/access/identity-verifier.ts';
import { createSessions } from '../../adapters/access/session-tokens.ts';
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
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
