import { expect, it } from '@jest/globals';
import { ROUTES } from '../../../lambdas/app/routes.ts';
import { CALL_STATUSES } from '../../../lambdas/ledger/core/usage-record.ts';
import { KINDS as SERVICE_KINDS } from '../../../lambdas/platform/core/kinds.ts';
import { SUBSCRIBABLE_TYPES } from '../../../lambdas/webhooks/core/event.ts';
import { EVENTS, KIND_NAMES, KIND_PATHS, KINDS, STATUSES } from './values.ts';

it.each([
  ['kinds', KINDS.map(([kind]) => kind), SERVICE_KINDS],
  ['statuses', STATUSES, CALL_STATUSES],
  ['events', EVENTS, SUBSCRIBABLE_TYPES],
] as const)('offers the very %s that the service has', (_name, offered, existing) => {
  expect(existing.length).toBeGreaterThan(3);
  expect([...offered].sort()).toEqual([...existing].sort());
});

it('gives every kind a distinct name', () => {
  expect(new Set(Object.values(KIND_NAMES)).size).toBe(SERVICE_KINDS.length);
});

it('sends every kind to a route of the service', () => {
  const posted = ROUTES.filter(({ method }) => method === 'POST').map(({ path }) => path);
  expect(posted).toEqual(expect.arrayContaining(Object.values(KIND_PATHS)));
});
