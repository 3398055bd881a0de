import { expect, it } from '@jest/globals';
import { DEFAULT_RPM as SERVICE_RPM } from '../../../lambdas/access/core/keys/key-state.ts';
import { ROUTES } from '../../../lambdas/app/routes.ts';
import { IMAGE_SIZES as SERVICE_SIZES } from '../../../lambdas/inference/core/kinds/images/images.ts';
import { CALL_STATUSES } from '../../../lambdas/ledger/core/usage-record.ts';
import { createOrderRequest } from '../../../lambdas/payments/core/order-requests.ts';
import { KINDS as SERVICE_KINDS } from '../../../lambdas/platform/core/kinds.ts';
import { SUBSCRIBABLE_TYPES } from '../../../lambdas/webhooks/core/event.ts';
import {
  DEFAULT_RPM,
  EVENTS,
  IMAGE_SIZES,
  KIND_NAMES,
  KIND_PATHS,
  KINDS,
  keyOptions,
  ORDER_USD,
  STATUSES,
} from './values.ts';

it.each([
  ['kinds', KINDS.map(([kind]) => kind), SERVICE_KINDS],
  ['statuses', STATUSES, CALL_STATUSES],
  ['events', EVENTS, SUBSCRIBABLE_TYPES],
  ['sizes of pictures', IMAGE_SIZES, SERVICE_SIZES],
] as const)('the console offers the same %s as the service', (_name, offered, existing) => {
  expect(existing.length).toBeGreaterThan(3);
  expect([...offered].sort()).toEqual([...existing].sort());
});

it('the console gives every kind a distinct name', () => {
  expect(new Set(Object.values(KIND_NAMES)).size).toBe(SERVICE_KINDS.length);
});

it('the console sends every kind to a route of the service', () => {
  const posted = ROUTES.filter(({ method }) => method === 'POST').map(({ path }) => path);
  expect(posted).toEqual(expect.arrayContaining(Object.values(KIND_PATHS)));
});

it('the console has the service’s limits of an order, and states the service’s rate of a key without a policy', () => {
  const { min, max } = ORDER_USD;
  const accepts = (amount: number) => createOrderRequest.safeParse({ amount, currency: 'USD' }).success;
  expect([Number(min) - 0.01, Number(min), Number(max), Number(max) + 0.01].map(accepts)).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(DEFAULT_RPM).toBe(SERVICE_RPM);
});

it('the console offers the keys of the account by their names, then each revoked key of the calls once', () => {
  const keys = [{ id: 'key_1', name: 'laptop' }];
  const calls = [
    { api_key: 'key_0A7F', key_name: 'Playground' },
    { api_key: 'key_1', key_name: 'laptop' },
    { api_key: 'key_0A7F', key_name: 'Playground' },
    { api_key: 'key_0A7G', key_name: 'Playground' },
  ];
  expect(keyOptions(keys, calls)).toEqual([
    ['key_1', 'laptop'],
    ['key_0A7F', 'Playground (revoked, …0A7F)'],
    ['key_0A7G', 'Playground (revoked, …0A7G)'],
  ]);
  expect(keyOptions(undefined, calls)).toEqual([]);
});
