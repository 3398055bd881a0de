import { expect, it } from '@jest/globals';
import { EVENTS, KIND_NAMES, KIND_PATHS, KINDS, STATUSES } from '../../console/src/api/values.ts';
import { ROUTES } from '../../lambdas/contract/routes.ts';
import { KINDS as SERVICE_KINDS } from '../../lambdas/core/access/kinds.ts';
import { CALL_STATUSES } from '../../lambdas/core/ledger/usage-record.ts';
import { SUBSCRIBABLE_TYPES } from '../../lambdas/core/webhooks/event.ts';

it.each([
  ['kinds', KINDS.map(([kind]) => kind), SERVICE_KINDS],
  ['statuses', STATUSES, CALL_STATUSES],
  ['events', EVENTS, SUBSCRIBABLE_TYPES],
] as const)('offers the very %s that the service has', (_name, offered, known) => {
  expect(known.length).toBeGreaterThan(3);
  expect([...offered].sort()).toEqual([...known].sort());
});

it('has a name of its own for every kind', () => {
  expect(new Set(Object.values(KIND_NAMES)).size).toBe(SERVICE_KINDS.length);
});

it('sends every kind to a route of the service', () => {
  const posted = ROUTES.filter(({ method }) => method === 'POST').map(({ path }) => path);
  expect(posted).toEqual(expect.arrayContaining(Object.values(KIND_PATHS)));
});
