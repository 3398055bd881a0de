/** Wires `POST /api/payments/{provider}/events` for Lambda. */

import { publicHandler } from '../../../access/handlers/handlers.ts';
import { createSecretsClient } from '../../../platform/aws/clients.ts';
import { createSecretReader } from '../../../platform/aws/secrets.ts';
import { hasPayouts } from '../../../platform/contract/environment.ts';
import { METRICS } from '../../../platform/contract/metrics.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { createMetric } from '../../../platform/system/metrics.ts';
import { createOrderStore } from '../../store/create-orders.ts';
import { hintPayout } from '../../store/payout-hint.ts';
import { StripePayments } from '../../store/stripe-payments.ts';
import { receivePaymentEvent } from './endpoint.ts';

export const handler = publicHandler('platform', (resources) => {
  const { clients, clock, environment } = resources;
  const readSecret = createSecretReader({ ...resources, client: createSecretsClient() });
  const market = requireTable(environment, 'market');
  const metric = createMetric();
  const stripe = new StripePayments({ ...resources, readSecret, hasPayouts: hasPayouts(environment) });
  return receivePaymentEvent({
    providers: { stripe },
    store: createOrderStore(resources),
    hintPayout: (payout) => hintPayout(clients.client, market, payout, Math.floor(clock() / 1000)),
    onCredited: () => metric(METRICS.paymentsCredited, 1),
    onRejected: () => metric(METRICS.paymentEventsRejected, 1),
    onMissed: () => metric(METRICS.paymentEventsMissed, 1),
    onFailed: () => metric(METRICS.paymentEventsFailed, 1),
  });
});
