/** Operations on data that is sealed under the webhook key: secrets of webhooks, and headers of the receivers of telemetry. */
import { type DestinationRequest, OPERATOR } from '../../lambdas/telemetry/core/destination.ts';
import { createDestinations, createRemoval } from '../../lambdas/telemetry/store/destinations.ts';
import {
  createSigningSecretStore,
  type WebhookStoreOptions,
} from '../../lambdas/webhooks/store/create-webhook-stores.ts';
import type { WebhookKeyOptions } from '../../lambdas/webhooks/store/webhook-keys.ts';
import type { OperatorTarget } from '../target.ts';

export function createSealed(options: WebhookStoreOptions & WebhookKeyOptions, target: OperatorTarget) {
  const remove = createRemoval(options);
  const destinations = createDestinations({
    ...options,
    allowLoopback: target.client.endpoint !== undefined,
  });
  return {
    /** Seals the signing secrets of webhooks and the headers of telemetry under the current webhook key. */
    sealWebhooks: () => createSigningSecretStore(options).sealAgain(),
    /** The receiver of the telemetry of all accounts. */
    telemetry: {
      set: (settings: DestinationRequest) => destinations.set(OPERATOR, settings),
      show: () => destinations.show(OPERATOR),
      /** Returns whether there was one. */
      remove: () => remove(OPERATOR),
    },
  };
}
