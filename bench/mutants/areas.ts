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
      'lambdas/core/money.ts',
      'lambdas/core/payments/',
      'lambdas/adapters/payments/',
      'lambdas/core/listings/purchases.ts',
      'lambdas/adapters/listings/purchase-store.ts',
    ],
  },
  { name: 'ledger', paths: ['lambdas/core/ledger/', 'lambdas/adapters/ledger/'] },
  { name: 'access', paths: ['lambdas/core/access/', 'lambdas/adapters/access/'] },
  {
    name: 'idempotency',
    paths: ['lambdas/core/idempotency/', 'lambdas/adapters/inference/replay-store.ts'],
  },
  {
    name: 'metering',
    paths: [
      'lambdas/core/inference/metering/',
      'lambdas/core/inference/pricing/',
      'lambdas/core/inference/fields/',
      'lambdas/core/inference/paid-endpoint.ts',
      'lambdas/core/inference/completions/completion-endpoint.ts',
      'lambdas/core/inference/completions/delivery.ts',
      'lambdas/core/inference/routing/',
    ],
  },
  {
    name: 'conversion',
    paths: [
      'lambdas/providers/',
      'lambdas/core/inference/completions/chat/',
      'lambdas/core/inference/completions/messages/',
    ],
  },
  {
    name: 'webhooks',
    paths: [
      'lambdas/core/address.ts',
      'lambdas/core/webhooks/',
      'lambdas/adapters/webhooks/address-guard.ts',
      'lambdas/adapters/webhooks/signing-secret-store.ts',
      'lambdas/adapters/webhooks/webhook-sender.ts',
    ],
  },
  {
    name: 'grants',
    paths: ['lib/config/grants.ts', 'lib/config/listing-grants.ts'],
    tests: ['least-privilege', 'app', 'scheduled-smoke', 'ledger-upkeep'].map(
      (name) => `test/lib/${name}.test.ts`,
    ),
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
  /^lib\/config\/(listing-)?grants\.ts$/.test(path) &&
  operator === 'element' &&
  /^'(\w+Item|Query|Scan)'/.test(original);

/** Tests of many seconds each, which find what the others of their folder miss: a mutant is not shown to them. */
export const SLOW =
  /\/(histories|processes|cost|ledger\/recovery|admission|crashes|kills|payment-histories|token-bound|breaker-fleet|breaker-histories|bounds|circuit-processes|hostile-answers|hostile-bodies|malformed-bodies)\.test\.ts$/;

export const areaOf = (path: string): Area | undefined =>
  AREAS.find(({ paths }) =>
    paths.some((prefix) => (prefix.endsWith('/') ? path.startsWith(prefix) : path === prefix)),
  );
