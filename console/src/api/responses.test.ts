import { expect, it } from '@jest/globals';
import { describeService } from '../../../lambdas/app/operations.ts';
import { AMOUNTS, parseResponse } from './responses.ts';

/** The names of all fields of the API's description that are amounts in USD. */
function amountFields(schema: unknown, name = '', names = new Set<string>()): ReadonlySet<string> {
  if (typeof schema !== 'object' || schema === null) return names;
  const { description, type } = schema as { description?: string; type?: unknown };
  if (type === 'number' && description?.startsWith('USD, ') && name !== '') names.add(name);
  for (const [key, value] of Object.entries(schema)) {
    const inner = ['anyOf', 'oneOf', 'allOf', 'items'].includes(key) || /^\d+$/.test(key) ? name : key;
    amountFields(value, inner, names);
  }
  return names;
}

it('takes for an amount every field that the service describes as one', () => {
  const { components } = describeService() as { components: { schemas: object } };
  const described = amountFields(components.schemas);
  expect([...described]).toEqual(expect.arrayContaining(['balance', 'cost', 'amount', 'price']));
  // `amount` and `price` are amounts of USD beside certain fields only.
  expect([...described].filter((name) => !AMOUNTS.has(name)).sort()).toEqual(['amount', 'price']);
});

it('reads amounts from their own digits, and leaves every other number alone', () => {
  expect(parseResponse('{"balance":9007199254740993.123456789,"calls":3}')).toEqual({
    balance: 9_007_199_254_740_993_123_456_789n,
    calls: 3,
  });
  expect(parseResponse('{"order_id":"ord_1","amount":12.34,"refunded":0}')).toEqual({
    order_id: 'ord_1',
    amount: 12_340_000_000n,
    refunded: 0n,
  });
  expect(parseResponse('{"name":"x","price":{"amount":499,"currency":"USD"}}')).toEqual({
    name: 'x',
    price: { amount: 499, currency: 'USD' },
  });
  expect(parseResponse('{"item":"input","quantity":2,"price":0.15,"per":1000000}')).toMatchObject({
    price: 150_000_000n,
  });
});
