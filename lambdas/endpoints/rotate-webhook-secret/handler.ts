/** Wires `POST /api/v1/webhooks/{id}/rotate-secret` for Lambda. */
import { createAccess } from '../../adapters/access/peppers.ts';
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createKeyGate } from '../../adapters/ledger/create-ledger.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { newSigningSecret } from '../../adapters/webhooks/new-secret.ts';
import { DynamoSigningSecretStore } from '../../adapters/webhooks/signing-secret-store.ts';
import { createWebhookSealer } from '../../adapters/webhooks/webhook-keys.ts';
import { requireVariable } from '../../contract/environment.ts';
import { TABLES } from '../../contract/tables.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { rotateWebhookSecret } from './endpoint.ts';

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

const endpoint = rotateWebhookSecret({
  peppers,
  gate,
  secrets,
  newSecret: newSigningSecret,
  clock: systemClock,
});

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
