/** `POST /api/payments/{provider}/events`: signed events of the payment provider about our orders. */
import { ServiceError, toServiceError } from '../../platform/core/errors.ts';
import { jsonResponse } from '../../platform/core/json/json-response.ts';
import type { Endpoint } from '../../platform/core/ports.ts';
import { isMissedPayment } from './missed-payment.ts';
import { applyEvent } from './orders.ts';
import type { OrderStore, PaymentProvider, PayoutReference } from './ports.ts';

export interface ReceivePaymentEventDependencies {
  /** The providers by their names in the path. */
  readonly providers: Readonly<
    Record<string, Pick<PaymentProvider, 'readEvent' | 'claimedPayment' | 'confirms'>>
  >;
  readonly store: OrderStore;
  readonly onCredited: () => void;
  /** Makes a payout due; false if there is no such payout. */
  readonly hintPayout: (payout: PayoutReference) => Promise<boolean>;
  /** Called for each event without a valid signature. */
  readonly onRejected: () => void;
  /** Called if such an event reports a payment that nobody was credited for. */
  readonly onMissed: () => void;
  /** Called for each event that the service fails to process. */
  readonly onFailed: () => void;
}

/** Receives the events, and counts those that fail with a 5xx: nothing else tells these from other failed requests. */
export function receivePaymentEvent({
  onFailed,
  ...dependencies
}: ReceivePaymentEventDependencies): Endpoint {
  const receive = receiveEvent(dependencies);
  return async (...call) => {
    try {
      return await receive(...call);
    } catch (failure) {
      if (toServiceError(failure).status >= 500) onFailed();
      throw failure;
    }
  };
}

function receiveEvent({
  providers,
  store,
  hintPayout,
  onCredited,
  onRejected,
  onMissed,
}: Omit<ReceivePaymentEventDependencies, 'onFailed'>): Endpoint {
  return async (request, { pathParameters: { provider: name = '' }, log }) => {
    const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
    if (provider === undefined) {
      throw new ServiceError('not_found', 'There is no such payment provider.', { param: 'provider' });
    }
    // The signature covers the bytes as sent, so they are read before they are parsed.
    const body = await request.text();
    const signature = request.headers.get('stripe-signature');
    const event = await provider.readEvent(body, signature).catch(async (failure: unknown) => {
      if (failure instanceof ServiceError && failure.code === 'invalid_signature') {
        onRejected();
        if (await isMissedPayment({ store, provider, log }, body, signature)) onMissed();
      }
      throw failure;
    });
    if (event !== undefined && 'payout' in event) {
      if (!(await hintPayout(event.payout))) log.warn('event of no payout here', { ...event.payout });
    } else if (event !== undefined && (await applyEvent({ store, log }, event)) === 'credited') onCredited();
    return jsonResponse({ received: true });
  };
}
