/** Wires `GET /credits/{api_key}` for Lambda. */
import { createAccess } from '../../adapters/access.ts';
import { createDynamoClients } from '../../adapters/clients.ts';
import { createLedger } from '../../adapters/ledger.ts';
import { createLog } from '../../adapters/logger.ts';
import { createSessions } from '../../adapters/session-tokens.ts';
import { systemClock, systemUlid } from '../../adapters/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { getCredits } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { peppers } = createAccess({ environment, log });
const { sessions } = createSessions({ clients, environment, log });
const { gate, keys, wallets, recovery } = createLedger({ clients, environment, log });

const endpoint = getCredits({ peppers, sessions, gate, keys, wallets, recovery, clock: systemClock });

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
