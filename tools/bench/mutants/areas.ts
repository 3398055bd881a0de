/** The critical folders, by what would be wrong if a mistake in them passed. */
import type { Mutant } from './operators.ts';

export interface Area {
  readonly name: string;
  /** Files, or folders that end in `/`, from the root of the repository. */
  readonly paths: readonly string[];
  /** Tests that cover the area without importing it: those that read the synthesized templates. */
  readonly tests?: readonly string[];
}

export const AREAS: readonly Area[] = [
  {
    name: 'money',
    paths: [
      'lambdas/platform/core/money.ts',
      'lambdas/payments/core/',
      'lambdas/payments/store/',
      'lambdas/marketplace/core/purchases/purchases.ts',
      'lambdas/marketplace/store/purchases/purchase-store.ts',
    ],
  },
  { name: 'ledger', paths: ['lambdas/ledger/core/', 'lambdas/ledger/store/', 'lambdas/ledger/consumers/'] },
  { name: 'access', paths: ['lambdas/access/core/', 'lambdas/access/store/'] },
  {
    name: 'idempotency',
    paths: ['lambdas/inference/core/idempotency/', 'lambdas/inference/store/replay-store.ts'],
  },
  {
    name: 'metering',
    paths: [
      'lambdas/inference/core/metering/',
      'lambdas/inference/core/pricing/',
      'lambdas/inference/core/fields/',
      'lambdas/inference/core/paid-endpoint.ts',
      'lambdas/inference/core/completions/completion-endpoint.ts',
      'lambdas/inference/core/completions/completion-request.ts',
      'lambdas/inference/core/completions/delivery.ts',
      'lambdas/inference/core/routing/',
    ],
  },
  {
    name: 'conversion',
    paths: [
      'lambdas/inference/providers/',
      'lambdas/inference/formats/chat/',
      'lambdas/inference/formats/messages/',
    ],
  },
  {
    name: 'webhooks',
    paths: [
      'lambdas/platform/core/address.ts',
      'lambdas/webhooks/core/',
      'lambdas/platform/connections/address-guard.ts',
      'lambdas/platform/connections/guarded-exchange.ts',
      'lambdas/webhooks/store/signing-secret-store.ts',
      'lambdas/webhooks/store/webhook-sender.ts',
    ],
  },
  {
    name: 'grants',
    paths: [
      'lib/config/grants.ts',
      ...['access', 'inference', 'ledger', 'marketplace', 'operations', 'payments', 'webhooks'].map(
        (context) => `lambdas/${context}/grants.ts`,
      ),
    ],
    tests: [
      'test/template/least-privilege.test.ts',
      'lib/app.test.ts',
      'test/template/scheduled-smoke.test.ts',
      'lib/constructs/ledger-maintenance.test.ts',
    ],
  },
];

/** Modules of the areas in which no mistake can be made: types, and tables that a bench generates. */
export const EXCLUDED = /\/(ports|openapi|token-table|word-table)\.ts$/;

/**
 * Mistakes that no test of seconds notices: a database action that is missing from a grant fails nowhere but where the
 * grants are enforced, which is in the service as a whole, minutes a mutant (the `system` ring). Which action a function
 * takes on which table cannot be read from the sources without their types: stores share the names of their methods
 * with each other and with the platform's collections.
 */
export const isOutOfSight = (path: string, { operator, original }: Mutant): boolean =>
  /\/grants\.ts$/.test(path) && operator === 'element' && /^'(\w+Item|Query|Scan)'/.test(original);

/** Tests of many seconds each, which find what the others of their folder miss: a mutant is not shown to them. */
export const SLOW =
  /\/(histories|processes|cost|ledger\/recovery|admission|crashes|kills|payment-histories|token-bound|breaker-fleet|breaker-histories|bounds|hostile-answers|hostile-bodies|malformed-bodies)\.test\.ts$/;

/** Tests next to the modules, and what tests share, are in no area. */
export const areaOf = (path: string): Area | undefined =>
  /\.test\.ts$|\/testing\//.test(path)
    ? undefined
    : AREAS.find(({ paths }) =>
        paths.some((prefix) => (prefix.endsWith('/') ? path.startsWith(prefix) : path === prefix)),
      );
