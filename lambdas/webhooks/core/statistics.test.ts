import { describe, expect, it } from '@jest/globals';
import { deliveryWith } from '../testing/memory-deliveries.ts';
import type { Delivery, DeliveryAttempt } from './delivery.ts';
import { deliveryStatistics } from './statistics.ts';

const attempt = (number: number, changes: Partial<DeliveryAttempt> = {}): DeliveryAttempt => ({
  number,
  atMs: number * 1000,
  durationMs: number,
  outcome: 'delivered',
  status: 200,
  ...changes,
});

const delivery = (status: Delivery['status'], log: readonly DeliveryAttempt[]) =>
  deliveryWith({ status, log });

describe('the statistics of a subscription', () => {
  it('contain null if there is nothing to compute them from', () => {
    expect(deliveryStatistics([])).toEqual({
      deliveries: 0,
      delivered: 0,
      dead: 0,
      pending: 0,
      success_rate: null,
      p95_ms: null,
      last_failure: null,
    });
  });

  it('contain the share of deliveries that arrived, the 95th percentile of their duration, and the last failure', () => {
    const failed = attempt(150, { outcome: 'status', status: 500, body: 'no' });
    const deliveries = [
      ...Array.from({ length: 100 }, (_, index) => delivery('delivered', [attempt(index + 1)])),
      delivery('dead', [attempt(120, { outcome: 'timeout' }), failed]),
      delivery('pending', []),
    ];
    expect(deliveryStatistics(deliveries)).toMatchObject({
      deliveries: 102,
      delivered: 100,
      dead: 1,
      pending: 1,
      success_rate: 0.9901,
      p95_ms: 95,
      last_failure: { outcome: 'status', response_status: 500, at: new Date(150_000).toISOString() },
    });
  });
});
