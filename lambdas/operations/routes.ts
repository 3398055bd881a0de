/** The routes of the operator's view, of health, and of the pages of the service. */
import { OPEN, OPERATOR, type Route } from '../platform/contract/route.ts';

export const OPERATIONS_ROUTES = [
  {
    ...OPEN,
    method: 'GET',
    path: '/health',
    endpoint: 'get-health',
    purpose: 'health check',
  },
  {
    ...OPERATOR,
    path: '/api/v1/operator/accounts',
    endpoint: 'list-operator-accounts',
    purpose: 'every account with its balance and what it has spent',
  },
  {
    ...OPERATOR,
    path: '/api/v1/operator/routes',
    endpoint: 'list-operator-routes',
    purpose: 'every route of the catalog with its circuit',
  },
  {
    ...OPERATOR,
    path: '/api/v1/operator/catalog',
    endpoint: 'get-operator-catalog',
    purpose: 'the current catalog, and what it changed',
  },
  {
    ...OPERATOR,
    path: '/api/v1/operator/audit',
    endpoint: 'get-operator-audit',
    purpose: 'the result of the last audit of the ledger',
  },
  {
    ...OPERATOR,
    path: '/api/v1/operator/dead-letters',
    endpoint: 'list-dead-letters',
    purpose: 'how many messages lie in each dead-letter queue',
  },
  {
    ...OPERATOR,
    method: 'POST',
    path: '/api/v1/operator/sign-out',
    endpoint: 'delete-operator-session',
    purpose: 'end the operator’s session',
  },
  {
    ...OPEN,
    method: 'GET',
    path: '/docs',
    endpoint: 'get-docs',
    purpose: 'the API reference, for people',
  },
  {
    ...OPEN,
    method: 'GET',
    path: '/docs/{file}',
    endpoint: 'get-docs-asset',
    purpose: 'scripts and styles of the reference',
    // Only a stream transmits bytes unchanged: the files are compressed.
    response: 'streamed',
  },
  {
    ...OPEN,
    method: 'GET',
    path: '/console',
    endpoint: 'get-console',
    purpose: 'the web console: balance, keys, activity, billing',
    response: 'streamed',
  },
  {
    ...OPEN,
    method: 'GET',
    path: '/console/{file}',
    endpoint: 'get-console-asset',
    purpose: 'scripts and styles of the console',
    response: 'streamed',
  },
] as const satisfies readonly Route[];
