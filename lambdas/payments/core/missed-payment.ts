/** Rejected payment events: noise from the internet, or a payment that nobody was credited for. */
import type { Log } from '../../platform/core/ports.ts';
import type { OrderStore, PaymentProvider } from './ports.ts';

export interface MissedPaymentDependencies {
  readonly store: Pick<OrderStore, 'find'>;
  readonly provider: Pick<PaymentProvider, 'claimedPayment' | 'confirms'>;
  readonly log: Log;
}

/**
 * Returns whether a rejected event reports a payment that the provider confirms and that no event has credited. A
 * stranger cannot cause that, nor a request to the provider: it takes the ids of an order that waits for its payment,
 * which its owner knows, and the provider is asked about no other. It credits nobody, because the event proves nothing.
 * Never throws: the event is rejected anyway.
 */
export async function isMissedPayment(
  { store, provider, log }: MissedPaymentDependencies,
  body: string,
  signature: string | null,
): Promise<boolean> {
  const claim = provider.claimedPayment(body, signature);
  if (claim === undefined) return false;
  try {
    const order = await store.find(claim.order);
    if (order?.checkoutUrl === undefined || order.paid !== undefined) return false;
    if (!(await provider.confirms(claim))) return false;
  } catch (failure) {
    log.warn('rejected payment event not checked', { name: (failure as Error).name });
    return false;
  }
  log.error('rejected the event of a payment', { ...claim.order });
  return true;
}
