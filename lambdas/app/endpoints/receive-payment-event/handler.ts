/** Wires `POST /api/payments/{provider}/events` for Lambda: orders, and the hint at payouts that the market registers. */

import { publicHandler } from '../../../access/handlers/handlers.ts';
import { receivePaymentEvent } from '../../../payments/core/receive-event.ts';
import { createOrderStore } from '../../../payments/store/create-orders.ts';
import { StripePayments } from '../../../payments/store/stripe-payments.ts';
import { createSecretsClient } from '../../../platform/aws/clients.ts';
import { createSecretReader } from '../../../platform/aws/secrets.ts';
import { hasPayouts } from '../../../platform/contract/environment.ts';
import { METRICS } from '../../../platform/contract/metrics.ts';
import { createMetric } from '../../../platform/system/metrics.ts';
import { createHint } from '../../handlers/registered.ts';

export const handler = publicHandler('platform', (resources) => {
  const { clients, environment } = resources;
  const readSecret = createSecretReader({ ...resources, client: createSecretsClient() });
  const metric = createMetric();
  const stripe = new StripePayments({ ...resources, readSecret, hasPayouts: hasPayouts(environment) });
  return receivePaymentEvent({
    providers: { stripe },
    store: createOrderStore(resources),
    hintPayout: createHint({ client: clients.client, environment }),
    onCredited: () => metric(METRICS.paymentsCredited, 1),
    onRejected: () => metric(METRICS.paymentEventsRejected, 1),
    onMissed: () => metric(METRICS.paymentEventsMissed, 1),
    onFailed: () => metric(METRICS.paymentEventsFailed, 1),
  });
});
