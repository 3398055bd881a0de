/** Wires `POST /api/payments/{provider}/events` for Lambda. */

import { publicHandler } from '../../../access/handlers/handlers.ts';
import { createSecretsClient } from '../../../platform/aws/clients.ts';
import { createSecretReader } from '../../../platform/aws/secrets.ts';
import { METRICS } from '../../../platform/contract/metrics.ts';
import { createMetric } from '../../../platform/system/metrics.ts';
import { createOrderStore } from '../../store/create-orders.ts';
import { StripePayments } from '../../store/stripe-payments.ts';
import { receivePaymentEvent } from './endpoint.ts';

export const handler = publicHandler('platform', (resources) => {
  const readSecret = createSecretReader({ ...resources, client: createSecretsClient() });
  const metric = createMetric();
  const stripe = new StripePayments({ ...resources, readSecret });
  return receivePaymentEvent({
    providers: { stripe },
    store: createOrderStore(resources),
    onCredited: () => metric(METRICS.paymentsCredited, 1),
    onRejected: () => metric(METRICS.paymentEventsRejected, 1),
    onMissed: () => metric(METRICS.paymentEventsMissed, 1),
  });
});
