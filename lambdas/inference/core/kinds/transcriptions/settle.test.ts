import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../../tools/test-kit/search.ts';
import { amountOf } from '../../pricing/bill.ts';
import { outcomeOf } from './settle.ts';

const durationCost = (pricePerMinute: bigint, seconds: number): bigint =>
  amountOf([{ quantity: seconds, price: pricePerMinute, per: 60 }]);

const orderOf = (seconds: number, heldAmount: bigint, estimated: boolean) => ({
  requestId: 'req_1',
  hold: { keyId: 'key_1', kind: 'audio' as const, amount: String(heldAmount), expires: 1 },
  charge: { windows: { minute: 0, day: 0, month: 0 } },
  model: 'a/b',
  route: 'route',
  lines: [{ item: 'second', quantity: seconds, price: '6000000', per: 60 }],
  catalog: 'v1',
  seconds,
  estimated,
});

describe('the cost of a transcription', () => {
  const seconds = fc.integer({ min: 0, max: 100_000 });
  const heldAmount = fc.bigInt({ min: 0n, max: 10n ** 10n });

  it('equals the price of the seconds', () => {
    fc.assert(
      fc.property(seconds, heldAmount, fc.boolean(), (length, amount, estimated) => {
        expect(outcomeOf(orderOf(length, amount, estimated))).toMatchObject({
          amount: durationCost(6_000_000n, length),
          inputUnits: length,
          outputUnits: 0,
          cachedUnits: 0,
          unit: 'second',
          estimated,
          status: 'completed',
          tokens: 0,
        });
      }),
    );
  });
});
