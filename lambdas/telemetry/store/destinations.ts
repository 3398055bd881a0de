/** Destinations of telemetry in the table of webhooks, with the results of their latest deliveries. */
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { createResolve } from '../../platform/connections/address-guard.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import type { Body } from '../../platform/core/api/response-schema.ts';
import { text } from '../../platform/dynamodb/attribute-values.ts';
import { systemClock } from '../../platform/system/system.ts';
import { STATISTICS_WINDOW } from '../../webhooks/core/statistics.ts';
import { checkTarget } from '../../webhooks/core/target.ts';
import {
  createDeliveryStore,
  createSigningSecretStore,
  type WebhookStoreOptions,
} from '../../webhooks/store/create-webhook-stores.ts';
import type { WebhookKeyOptions } from '../../webhooks/store/webhook-keys.ts';
import {
  type DestinationRequest,
  destinationEntry,
  destinationKey,
  type destinationSchema,
  newDestination,
  requireBase,
  settingsText,
} from '../core/destination.ts';

type Entry = Body<typeof destinationSchema>;

export function createDestinations(
  options: WebhookStoreOptions & WebhookKeyOptions & { readonly allowLoopback: boolean },
) {
  const secrets = createSigningSecretStore(options);
  const deliveries = createDeliveryStore(options);
  const resolve = createResolve();

  async function show(owner: string): Promise<Entry | undefined> {
    const key = destinationKey(owner);
    const opened = await secrets.open(key, systemClock());
    if (opened === undefined) return undefined;
    const { entries } = await deliveries.list({
      webhookId: key.id,
      limit: STATISTICS_WINDOW,
      order: 'newest',
    });
    return destinationEntry(opened, entries);
  }

  return {
    show,
    /** Replaces the destination, headers included. Throws 400 for an address to which no telemetry may go. */
    async set(owner: string, { url, ...settings }: DestinationRequest): Promise<Entry> {
      requireBase(url);
      const href = await checkTarget(url, options.allowLoopback, resolve);
      const [subscription, secret] = [newDestination(owner, href, systemClock()), settingsText(settings)];
      await secrets.replace(subscription, secret);
      return destinationEntry({ subscription, secrets: [secret] }, []);
    },
  };
}

/** Returns a function that removes the destination of an owner, and returns whether there was one. What waits for it is dropped. */
export function createRemoval({ clients, environment }: WebhookStoreOptions) {
  const table = requireTable(environment, 'webhooks');
  return async (owner: string): Promise<boolean> => {
    const { accountId, id } = destinationKey(owner);
    const { Attributes: removed } = await clients.client.send(
      new DeleteItemCommand({
        TableName: table,
        Key: { account_id: text(accountId), webhook_id: text(id) },
        ReturnValues: 'ALL_OLD',
      }),
    );
    return removed !== undefined;
  };
}
