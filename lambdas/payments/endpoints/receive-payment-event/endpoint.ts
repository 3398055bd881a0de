/** `POST /api/payments/{provider}/events`: signed events of the payment provider about our orders. */
import { ServiceError } from '../../../platform/core/errors.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import type { Endpoint } from '../../../platform/core/ports.ts';
import { applyEvent } from '../../core/orders.ts';
import type { OrderStore, PaymentProvider } from '../../core/ports.ts';

export interface ReceivePaymentEventDependencies {
  /** The providers by their names in the path. */
  readonly providers: Readonly<Record<string, Pick<PaymentProvider, 'readEvent'>>>;
  readonly store: OrderStore;
}

export function receivePaymentEvent({ providers, store }: ReceivePaymentEventDependencies): Endpoint {
  return async (request, { pathParameters: { provider: name = '' }, log }) => {
    const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
    if (provider === undefined) {
      throw new ServiceError('not_found', 'There is no such payment provider.', { param: 'provider' });
    }
    // The signature covers the bytes as sent, so they are read before they are parsed.
    const body = await request.text();
    const event = await provider.readEvent(body, request.headers.get('stripe-signature'));
    if (event !== undefined) await applyEvent({ store, log }, event);
    return jsonResponse({ received: true });
  };
}
