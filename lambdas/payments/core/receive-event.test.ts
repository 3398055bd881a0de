import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../platform/core/errors.ts';
import { receivePaymentEvent } from './receive-event.ts';

/** Returns what is counted when the provider's reader fails so. */
async function countsOf(failure: Error): Promise<readonly string[]> {
  const counted: string[] = [];
  const endpoint = receivePaymentEvent({
    providers: {
      stripe: {
        readEvent: () => Promise.reject(failure),
        claimedPayment: () => undefined,
        confirms: async () => false,
      },
    },
    store: {} as Parameters<typeof receivePaymentEvent>[0]['store'],
    hintPayout: async () => false,
    onCredited: () => counted.push('credited'),
    onRejected: () => counted.push('rejected'),
    onMissed: () => counted.push('missed'),
    onFailed: () => counted.push('failed'),
  });
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const context = {
    requestId: 'req_1',
    pathParameters: { provider: 'stripe' },
    log,
    remainingTimeMs: () => 1,
  };
  const request = new Request('https://localhost/', { method: 'POST', body: '{}' });
  await expect(endpoint(request, context)).rejects.toBe(failure);
  return counted;
}

describe('an event of the payment provider', () => {
  it.each([
    ['a fault of the service', new TypeError('x is undefined')],
    ['a provider that does not respond', new ServiceError('payment_provider_unavailable', 'No response.')],
  ])('counts as failed after %s', async (_, failure) => {
    expect(await countsOf(failure)).toEqual(['failed']);
  });

  it('does not count as failed if a stranger has made it up', async () => {
    expect(await countsOf(new ServiceError('invalid_signature', 'Not signed.'))).toEqual(['rejected']);
  });
});
