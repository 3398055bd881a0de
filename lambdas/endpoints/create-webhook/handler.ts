/** Wires `POST /api/v1/webhooks` for Lambda. */
import { createAccess } from '../../adapters/access.ts';
import { createResolve, loopbackAllowed } from '../../adapters/address-guard.ts';
import { createDynamoClients } from '../../adapters/clients.ts';
import { createKeyGate } from '../../adapters/ledger.ts';
import { createLog } from '../../adapters/logger.ts';
import { newSigningSecret } from '../../adapters/new-secret.ts';
import { DynamoSigningSecretStore } from '../../adapters/signing-secret-store.ts';
import { systemClock, systemUlid } from '../../adapters/system.ts';
import { createWebhookSealer } from '../../adapters/webhook-keys.ts';
import { requireVariable } from '../../contract/environment.ts';
import { TABLES } from '../../contract/tables.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { createWebhook } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { peppers } = createAccess({ environment, log });
const { gate } = createKeyGate({ clients, environment });
const table = requireVariable(environment, TABLES.webhooks.variable);
const secrets = new DynamoSigningSecretStore(
  clients.client,
  table,
  createWebhookSealer({ environment, log }),
);

const endpoint = createWebhook({
  peppers,
  gate,
  secrets,
  newSecret: newSigningSecret,
  allowLoopback: loopbackAllowed(environment),
  resolve: createResolve(),
  clock: systemClock,
  ulid: systemUlid,
});

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
