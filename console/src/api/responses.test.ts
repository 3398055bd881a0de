import { describe, expect, it } from '@jest/globals';
import { parseResponse } from './responses.ts';

describe('the amounts of responses', () => {
  it('come from their own digits, and change no other number', () => {
    expect(
      parseResponse('GET /api/v1/credits', '{"balance":9007199254740993.123456789,"created":3}'),
    ).toEqual({
      balance: 9_007_199_254_740_993_123_456_789n,
      created: 3,
    });
    expect(parseResponse('POST /api/v1/constructor', '{"balance":1}')).toEqual({ balance: 1 });
  });

  it('depend on the response: USD of an order and of a sale, cents of a price and of a charge', () => {
    expect(parseResponse('GET /api/orders', '{"data":[{"amount":12.34,"refunded":0}]}')).toEqual({
      data: [{ amount: 12_340_000_000n, refunded: 0n }],
    });
    expect(
      parseResponse('GET /api/v1/earnings/transactions', '{"data":[{"amount":1,"sale":{"refunded":1}}]}'),
    ).toEqual({ data: [{ amount: 1_000_000_000n, sale: { refunded: 1_000_000_000n } }] });
    const listing = '{"price":{"amount":499,"currency":"USD"},"plans":[{"amount":499}]}';
    expect(parseResponse('GET /apps/lst_1', listing)).toEqual(JSON.parse(listing));
    const subscription = '{"amount":499,"charges":[{"amount":499,"refunded":100}]}';
    expect(parseResponse('GET /api/v1/subscriptions/sub_1', subscription)).toEqual(JSON.parse(subscription));
  });
});
