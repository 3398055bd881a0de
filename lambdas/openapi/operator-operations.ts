/** The descriptions of the operator's view. */

import { accountSummarySchema, accountsQuery } from '../core/access/account-summaries.ts';
import { signedOutSchema } from '../core/access/session-requests.ts';
import { deadLettersSchema } from '../core/api/dead-letters.ts';
import { pageSchema } from '../core/api/paging.ts';
import { catalogViewSchema } from '../core/inference/catalog/catalog-view.ts';
import { routeSummarySchema, routesQuery } from '../core/inference/routing/route-list.ts';
import { auditViewSchema } from '../core/ledger/audit/conclusion.ts';
import { answer, tagged } from './operation.ts';

export const OPERATOR_OPERATIONS = tagged('Operator', {
  'list-operator-accounts': {
    description: 'In no order. A page may have fewer accounts than asked for, though there are more.',
    query: accountsQuery,
    answers: { 200: answer('A page of accounts.', pageSchema(accountSummarySchema)) },
  },
  'list-operator-routes': {
    description: 'In the order of the catalog.',
    query: routesQuery,
    answers: { 200: answer('A page of routes.', pageSchema(routeSummarySchema)) },
  },
  'get-operator-catalog': {
    answers: { 200: answer('The current catalog.', catalogViewSchema) },
    errors: [404],
  },
  'get-operator-audit': { answers: { 200: answer('The last audit.', auditViewSchema) } },
  'list-dead-letters': { answers: { 200: answer('Every queue.', pageSchema(deadLettersSchema)) } },
  'delete-operator-session': {
    description: 'Later requests with the same token are refused with 401.',
    answers: { 200: answer('The session has ended.', signedOutSchema) },
  },
});
