/** The stores of webhooks on DynamoDB, in the tables that the environment names. */

import type { DynamoClients } from '../../platform/aws/clients.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import { systemClock } from '../../platform/system/system.ts';
import { DynamoDeliveryStore } from './delivery-store.ts';
import { DynamoSigningSecretStore } from './signing-secret-store.ts';
import { DynamoSubscriptionStore } from './subscription-store.ts';
import { createWebhookSealer, type WebhookKeyOptions } from './webhook-keys.ts';

export interface WebhookStoreOptions {
  readonly clients: Pick<DynamoClients, 'client'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const createSubscriptionStore = ({ clients, environment }: WebhookStoreOptions) =>
  new DynamoSubscriptionStore(clients.client, requireTable(environment, 'webhooks'));

export const createDeliveryStore = ({ clients, environment }: WebhookStoreOptions) =>
  new DynamoDeliveryStore(clients.client, requireTable(environment, 'deliveries'), systemClock);

export const createSigningSecretStore = ({ clients, ...options }: WebhookStoreOptions & WebhookKeyOptions) =>
  new DynamoSigningSecretStore(
    clients.client,
    requireTable(options.environment, 'webhooks'),
    createWebhookSealer(options),
  );
