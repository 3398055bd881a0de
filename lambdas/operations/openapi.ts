/** The descriptions of the operator's view, of health, and of the pages of the service. */
import { signedOutSchema } from '../access/core/sessions/session-requests.ts';
import { catalogViewSchema } from '../inference/core/catalog/catalog-view.ts';
import { routeSummarySchema, routesQuery } from '../inference/core/routing/route-list.ts';
import { accountSummarySchema, accountsQuery } from '../ledger/core/account-summaries.ts';
import { auditViewSchema } from '../ledger/core/audit/conclusion.ts';
import { salesQuery, salesSchema } from '../ledger/core/usage/sales.ts';
import { ok, tagged } from '../platform/contract/operation.ts';
import { deadLettersSchema } from '../platform/core/api/dead-letters.ts';
import { pageSchema } from '../platform/core/api/paging.ts';
import { healthySchema, unavailableSchema } from '../platform/core/api/service-status.ts';

export const OPERATIONS_OPERATIONS = {
  ...tagged('Operator', {
    'list-operator-accounts': {
      description: 'In no order. A page may have fewer accounts than requested, although there are more.',
      query: accountsQuery,
      responses: ok('A page of accounts.', pageSchema(accountSummarySchema)),
    },
    'get-operator-sales': {
      description: 'Pages of totals, each of thousands of calls. Their sums are the totals of the span.',
      query: salesQuery,
      responses: ok('The totals of a page.', salesSchema),
    },
    'list-operator-routes': {
      description: 'In the order of the catalog.',
      query: routesQuery,
      responses: ok('A page of routes.', pageSchema(routeSummarySchema)),
    },
    'get-operator-catalog': {
      responses: ok('The current catalog.', catalogViewSchema),
      errors: [404],
    },
    'get-operator-audit': { responses: ok('The last audit.', auditViewSchema) },
    'list-dead-letters': {
      responses: ok('Every queue.', pageSchema(deadLettersSchema)),
    },
    'delete-operator-session': {
      description: 'Later requests with the same token are rejected with 401.',
      responses: ok('The session has ended.', signedOutSchema),
    },
  }),
  ...tagged('Service', {
    'get-health': {
      responses: {
        ...ok('The service can serve calls.', healthySchema),
        503: { description: 'The service cannot serve calls now.', schema: unavailableSchema },
      },
    },
    'get-docs': {
      responses: { 200: { description: 'The page.', otherForms: { 'text/html': 'The page.' } } },
    },
    'get-docs-asset': {
      responses: {
        200: {
          description: 'The file.',
          otherForms: { 'text/javascript': 'A script.', 'text/css': 'A style sheet.' },
        },
      },
    },
    'get-console': {
      responses: { 200: { description: 'The page.', otherForms: { 'text/html': 'The page.' } } },
    },
    'get-console-asset': {
      responses: {
        200: {
          description: 'The file.',
          otherForms: { 'text/javascript': 'A script.', 'text/css': 'A style sheet.' },
        },
      },
    },
  }),
};
